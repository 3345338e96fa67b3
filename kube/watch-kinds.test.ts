import { createServer, type ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { kubeOf } from '../test/builders/kube-of.ts';
import { KINDS } from './kinds.ts';
import { createStore } from './store.ts';
import { watchKinds } from './watch-kinds.ts';

/** Versions of the one host and the one Secret of an API server; undefined: there is none. */
interface State {
  readonly version: number;
  readonly baremetalhosts?: number;
  readonly secrets?: number;
}

type Plural = 'baremetalhosts' | 'secrets';

/** A watch of hosts and Secrets, and the API server that it watches. */
async function aWatchOfHostsAndSecrets(first: State) {
  let now = first;
  /** Lists of this kind are answered when it is resolved. */
  let held: { readonly plural: Plural; readonly until: Promise<void> } | undefined;
  const watches = new Map<ServerResponse, string>();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const plural = pathname.split('/').at(-1) ?? '';
    response.setHeader('content-type', 'application/json');
    if (searchParams.get('watch') === 'true') {
      watches.set(response, plural);
      return response.flushHeaders();
    }
    const answer = (): void => {
      const version = plural === 'baremetalhosts' || plural === 'secrets' ? now[plural] : undefined;
      const metadata = { namespace: 'n', name: plural, uid: plural, resourceVersion: `${version}` };
      response.end(
        JSON.stringify({
          metadata: { resourceVersion: `${now.version}` },
          items: version === undefined ? [] : [{ metadata }],
        }),
      );
    };
    if (held?.plural === plural) void held.until.then(answer);
    else answer();
  });
  const kube = await kubeOf(server);
  const store = createStore();
  const ending = new AbortController();
  const versionOf = (kind: typeof KINDS.host | typeof KINDS.secret): string | undefined =>
    [...store.values(kind)][0]?.resourceVersion;
  let [notices, order] = [0, 0];
  /** What is in the store after each change, and between which calls. */
  const stored: { readonly order: number; readonly host: string | undefined; readonly secret: string | undefined }[] =
    [];
  store.onChange(() => stored.push({ order, host: versionOf(KINDS.host), secret: versionOf(KINDS.secret) }));
  const watch = watchKinds({
    kube,
    store,
    namespaces: [],
    kinds: [{ kind: KINDS.host }, { kind: KINDS.secret }],
    onTrouble: () => undefined,
    onRestoreNoticed() {
      notices += 1;
      order += 1;
    },
    onListedAnew: () => (order += 1),
  });
  const running = watch.run(ending.signal);
  await expect.poll(() => [...watches.values()].toSorted()).toContain('secrets');
  await expect.poll(() => watches.size).toBe(3);
  return {
    versionOf,
    stored,
    notices: () => notices,
    change(plural: Plural, resourceVersion: string): void {
      const object = { metadata: { namespace: 'n', name: plural, uid: plural, resourceVersion } };
      for (const [response, watched] of watches)
        if (watched === plural) response.write(`${JSON.stringify({ type: 'MODIFIED', object })}\n`);
    },
    /** Lists of the kind are not answered until the function is called that it returns. */
    hold(plural: Plural): () => void {
      const { promise: until, resolve } = Promise.withResolvers<void>();
      held = { plural, until };
      return resolve;
    },
    restore(to: State): void {
      now = to;
      for (const response of watches.keys()) response.destroy();
    },
    async close(): Promise<void> {
      ending.abort();
      await running;
      await kube.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

let watch: Awaited<ReturnType<typeof aWatchOfHostsAndSecrets>>;
beforeEach(async () => {
  watch = await aWatchOfHostsAndSecrets({ version: 120, baremetalhosts: 110, secrets: 120 });
});
afterEach(() => watch.close());

test('a kind that would not notice a restore of etcd is listed again when another one has noticed it', async () => {
  const { versionOf } = watch;
  // Hosts change, Secrets do not.
  watch.change('baremetalhosts', '500');
  await expect.poll(() => versionOf(KINDS.host)).toBe('500');

  // Restored to 110, when there was another Secret; since then others have written.
  watch.restore({ version: 300, baremetalhosts: 110, secrets: 105 });

  await expect.poll(() => versionOf(KINDS.host)).toBe('110');
  await expect.poll(() => versionOf(KINDS.secret)).toBe('105');
  expect(watch.notices()).toBe(1);
});

test('no two versions of a kind count as versions of the same time when one is from before a restore', async () => {
  const { versionOf, stored } = watch;
  watch.change('secrets', '500');
  watch.change('baremetalhosts', '500');
  await expect.poll(() => [versionOf(KINDS.host), versionOf(KINDS.secret)]).toEqual(['500', '500']);

  const answerHosts = watch.hold('baremetalhosts');
  watch.restore({ version: 120, baremetalhosts: 110, secrets: 105 });
  await expect.poll(() => versionOf(KINDS.secret)).toBe('105');
  expect(versionOf(KINDS.host)).toBe('500');
  answerHosts();
  await expect.poll(() => versionOf(KINDS.host)).toBe('110');

  const ordersOf = (host: string): readonly number[] =>
    stored.filter((one) => one.host === host).map(({ order }) => order);
  expect(Math.max(...ordersOf('500'))).toBeLessThan(ordersOf('110').at(-1) ?? 0);
});
