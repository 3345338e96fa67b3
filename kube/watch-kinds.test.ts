import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Kube, KubeError } from './client.ts';
import { KINDS } from './kinds.ts';
import { collectionPath } from './paths.ts';
import { createStore } from './store.ts';
import { watchKinds } from './watch-kinds.ts';

const LIST = { metadata: { resourceVersion: '1' } };
const CRD = { metadata: { name: 'ipaddressclaims.ipam.cluster.x-k8s.io', uid: 'u', resourceVersion: '1' } };

/** The trouble with claims of Cluster API, whose CRD is installed, and whose list is answered like this. */
async function troubleWith(refusal: KubeError): Promise<readonly string[]> {
  const claims = collectionPath(KINDS.ipAddressClaim, undefined);
  const kube = {
    request: ({ path }) =>
      path === claims
        ? Promise.reject(refusal)
        : Promise.resolve({ ...LIST, items: path.endsWith('definitions') ? [CRD] : [] }),
    async *lines({ signal }) {
      yield* await sleep(10_000, [], { signal }).catch(() => []);
    },
  } as Pick<Kube, 'request' | 'lines'> as Kube;
  const ending = new AbortController();
  const troubles: string[] = [];
  const watch = watchKinds({
    kube,
    store: createStore(),
    namespaces: [],
    kinds: [{ kind: KINDS.ipPool }, { kind: KINDS.ipAddressClaim, onceInstalled: true }],
    onTrouble(kind, error) {
      troubles.push(`${kind}: ${(error as Error).message}`);
      ending.abort();
    },
  });
  let isComplete = false;
  void watch.complete.then(() => (isComplete = true));
  await watch.run(ending.signal);
  expect([isComplete, watch.following]).toEqual([false, false]);
  return troubles;
}

test('a CRD without the version that is watched is named as the trouble, and nothing is complete without its objects', async () => {
  const trouble = await troubleWith(new KubeError('GET /apis/…', 404, { message: '404 page not found' }));
  expect(trouble).toEqual([
    'IPAddressClaim: ipaddressclaims.ipam.cluster.x-k8s.io is installed, but not served in version v1beta2, which Temper reads: GET /apis/…: 404 404 page not found',
  ]);
});

test('any other trouble with a kind is told as it is', async () => {
  const trouble = await troubleWith(new KubeError('GET /apis/…', 403, { message: 'forbidden' }));
  expect(trouble).toEqual(['IPAddressClaim: GET /apis/…: 403 forbidden']);
});
