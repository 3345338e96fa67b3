import { describe, expect, test } from 'vitest';
import { readMetadata } from '../../kube/objects/metadata.ts';
import { readSecretObject } from '../../kube/objects/secret.ts';
import { secretCollection } from '../../kube/paths.ts';
import { objectsInMemory } from '../../test/builders/objects-in-memory.ts';
import { createHostData } from './host/host-data.ts';
import { hostOwner, markSecret, releaseSecret } from './secrets.ts';

const HOST = { namespace: 'metal', name: 'host-1', uid: 'u-1' };
const OTHER = { apiVersion: 'v1', kind: 'ConfigMap', name: 'theirs', uid: 'u-2' };
const LOGIN = { username: 'YQ==', password: 'Yg==' };

/** Owners of a Secret that a host has named as the Secret of its BMC. */
async function ownersAfter(type: string, data: Readonly<Record<string, string>>, owners: readonly object[] = []) {
  const { kube } = objectsInMemory();
  const body = { metadata: { namespace: 'metal', name: 'named', ownerReferences: owners }, type, data };
  const made = readSecretObject(await kube.request({ method: 'POST', path: secretCollection('metal'), body }));
  const { secret } = await markSecret(kube, made, { hold: true, owner: hostOwner(HOST) });
  expect(secret.metadata.labels).toEqual({ 'environment.metal3.io': 'baremetal' });
  expect(secret.data).toEqual(data);
  return secret.metadata.ownerReferences;
}

test('150 hosts that name one Secret at once all become its owners, without a conflict', async () => {
  const { kube } = objectsInMemory();
  const path = `${secretCollection('metal')}/bmc`;
  const body = { metadata: { namespace: 'metal', name: 'bmc' }, type: 'Opaque', data: LOGIN };
  const made = readSecretObject(await kube.request({ method: 'POST', path: secretCollection('metal'), body }));
  let conflicts = 0;
  const counting: typeof kube = {
    ...kube,
    patch: (where, change) =>
      kube.patch(where, change).catch((error: unknown) => {
        conflicts += 1;
        throw error;
      }),
  };
  const hosts = Array.from({ length: 150 }, (_, at) => ({ namespace: 'metal', name: `host-${at}`, uid: `u-${at}` }));
  await Promise.all(hosts.map((host) => markSecret(counting, made, { hold: true, owner: hostOwner(host) })));
  expect(readMetadata(await kube.find(path)).ownerReferences.map(({ uid }) => uid)).toEqual(
    hosts.map(({ uid }) => uid),
  );
  expect(conflicts).toBe(0);
});

describe('an activity that is cancelled', () => {
  /** A Secret that `host-0` is marking: `go` lets its write through. */
  async function aBusySecret() {
    const { kube } = objectsInMemory();
    const path = `${secretCollection('metal')}/bmc`;
    const body = { metadata: { namespace: 'metal', name: 'bmc' }, type: 'Opaque', data: LOGIN };
    const made = readSecretObject(await kube.request({ method: 'POST', path: secretCollection('metal'), body }));
    const { promise: mayGo, resolve: go } = Promise.withResolvers<void>();
    const { promise: isWriting, resolve: begins } = Promise.withResolvers<void>();
    const held: typeof kube = {
      ...kube,
      patch: async (where, change) => {
        begins();
        await mayGo;
        return kube.patch(where, change);
      },
    };
    const mark = (name: string, signal?: AbortSignal) =>
      markSecret(held, made, { hold: true, owner: hostOwner({ ...HOST, name, uid: name }) }, signal);
    const first = mark('host-0');
    await isWriting;
    const owners = async (): Promise<readonly string[]> =>
      readMetadata(await kube.find(path)).ownerReferences.map(({ uid }) => uid);
    return { held, kube, path, go, first, mark, owners };
  }

  test('while its Secret is being changed by others never marks the Secret', async () => {
    const { go, first, mark, owners } = await aBusySecret();
    const cancel = new AbortController();
    const waiting = mark('host-1', cancel.signal);
    const last = mark('host-2');
    cancel.abort(new Error('cancelled'));
    go();
    await Promise.allSettled([first, waiting, last]);
    expect(await owners()).toEqual(['host-0', 'host-2']);
    await expect(waiting).rejects.toThrow('cancelled');
  });

  test('while its Secret is read again, after a conflict, does not mark the Secret', async () => {
    const server = objectsInMemory();
    const path = `${secretCollection('metal')}/bmc`;
    const body = { metadata: { namespace: 'metal', name: 'bmc' }, type: 'Opaque', data: LOGIN };
    const made = readSecretObject(await server.kube.request({ method: 'POST', path: secretCollection('metal'), body }));
    await server.kube.patch(path, { metadata: { labels: { theirs: 'yes' } } });
    const cancel = new AbortController();
    const cancelling: typeof server.kube = {
      ...server.kube,
      find: async (where) => {
        const found = await server.kube.find(where);
        cancel.abort(new Error('cancelled'));
        return found;
      },
    };
    const marking = markSecret(cancelling, made, { hold: true, owner: hostOwner(HOST) }, cancel.signal);
    await expect(marking).rejects.toThrow('cancelled');
    await markSecret(cancelling, made, { hold: false });
    expect(readMetadata(await server.kube.find(path))).toMatchObject({ finalizers: [], ownerReferences: [] });
  });

  test('does not release its Secret any more', async () => {
    const { held, kube, path, go, first } = await aBusySecret();
    const cancel = new AbortController();
    const waiting = releaseSecret(held, { ...HOST, name: 'host-0', uid: 'host-0' }, 'bmc', cancel.signal);
    cancel.abort(new Error('cancelled'));
    go();
    await Promise.allSettled([first, waiting]);
    expect(readMetadata(await kube.find(path)).finalizers).toEqual(['baremetalhost.metal3.io/secret']);
  });
});

describe('the host becomes an owner', () => {
  test.each(['Opaque', 'kubernetes.io/basic-auth'])('of credentials of type %s, besides other owners', async (type) => {
    expect(await ownersAfter(type, LOGIN)).toMatchObject([hostOwner(HOST)]);
    expect(await ownersAfter(type, LOGIN, [OTHER])).toMatchObject([OTHER, hostOwner(HOST)]);
  });

  test.each([
    ['kubernetes.io/service-account-token', LOGIN],
    ['kubernetes.io/tls', LOGIN],
    ['kubernetes.io/dockerconfigjson', LOGIN],
    ['bootstrap.kubernetes.io/token', LOGIN],
    ['cluster.x-k8s.io/secret', LOGIN],
    ['helm.sh/release.v1', LOGIN],
    ['Opaque', { username: 'YQ==' }],
    ['Opaque', { password: 'Yg==' }],
    ['Opaque', { 'tls.key': 'Yg==' }],
  ] as const)('of no Secret of type %s with %j: it would be deleted with the host', async (type, data) => {
    expect(await ownersAfter(type, data)).toEqual([]);
    expect(await ownersAfter(type, data, [OTHER])).toMatchObject([OTHER]);
  });

  test('of no Secret with the network data of its deploy agent', async () => {
    const { kube } = objectsInMemory();
    const path = secretCollection('metal');
    const data = { ...LOGIN, networkData: 'e30=' };
    await kube.request({ method: 'POST', path, body: { metadata: { namespace: 'metal', name: 'net' }, data } });
    await createHostData(kube, () => undefined).claimedNetworkData(HOST, 'net');
    const { ownerReferences, finalizers } = readMetadata(await kube.find(`${path}/net`));
    expect([ownerReferences, finalizers]).toEqual([[], ['baremetalhost.metal3.io/secret']]);
  });
});
