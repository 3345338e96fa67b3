import { expect, test } from 'vitest';
import { hostPath } from '../../kube/paths.ts';
import { objectsInMemory } from '../../test/builders/objects-in-memory.ts';
import { createRestore, untilRestored } from './restore.ts';

const PATH = hostPath({ namespace: 'metal', name: 'a' });

test('a bridge that has noticed a restore of etcd reads, and writes nothing more', async () => {
  const server = objectsInMemory();
  const restore = createRestore();
  const kube = untilRestored(server.kube, restore);
  const body = { metadata: { namespace: 'metal', name: 'a' } };
  const collection = PATH.slice(0, PATH.lastIndexOf('/'));
  await kube.request({ method: 'POST', path: collection, body });
  await kube.patch(PATH, { spec: { online: true } });
  const before = server.all().get(PATH);
  restore.notice();
  const writes = [
    () => kube.patch(PATH, { spec: { online: false } }),
    () => kube.patch(`${PATH}/status`, { status: { poweredOn: true } }),
    () => kube.request({ method: 'POST', path: collection, body: { metadata: { ...body.metadata, name: 'b' } } }),
    () => kube.request({ method: 'PUT', path: PATH, body }),
    () => kube.request({ method: 'DELETE', path: PATH }),
  ];
  for (const write of writes) await expect(write()).rejects.toThrow('etcd was restored');
  expect([...server.all()]).toEqual([[PATH, before]]);
  expect(await kube.find(PATH)).toEqual(before);
  expect(await kube.request({ path: PATH })).toEqual(before);
});
