import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BareMetalHost } from '../../api/baremetalhost/types.ts';
import { MACHINE_FINALIZER } from '../../api/metal3machine/kind.ts';
import { identityOf } from '../../domain/entity/seen.ts';
import { MACHINE_ANNOTATIONS } from '../../domain/machine/names.ts';
import { KINDS } from '../../kube/kinds.ts';
import { collectionPath, objectPath } from '../../kube/paths.ts';
import { openScene, type Scene } from './bridge/harness.ts';
import { publishOnce } from './bridge/publish-once.ts';
import { sharedControlPlane } from './control-plane.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene(sharedControlPlane());
});
afterAll(() => scene.end());

describe('the finalizer of a machine', () => {
  test('is not removed while a host still has it as its consumer, as after etcd was restored', async () => {
    const { kube, namespace } = scene;
    const { apiVersion, kind } = KINDS.metal3Machine;
    const [name, host] = ['m3m-1', 'consumed'];
    const consumerRef = { apiVersion, kind, name, namespace };
    await scene.createHost(host, { spec: { consumerRef } });
    const annotations = { [MACHINE_ANNOTATIONS.host]: `${namespace}/${host}` };
    const metadata = { name, annotations, finalizers: [MACHINE_FINALIZER] };
    const image = { url: 'http://a/b', checksum: 'x' };
    const path = collectionPath(KINDS.metal3Machine, namespace);
    const made = await kube.request({ method: 'POST', path, body: { apiVersion, kind, metadata, spec: { image } } });
    const machine = { namespace, name };
    await kube.request({ method: 'DELETE', path: objectPath(KINDS.metal3Machine, machine) });
    const { uid, generation } = identityOf((made as Pick<BareMetalHost, 'metadata'>).metadata);
    const leaving = {
      kind,
      ...machine,
      uid,
      generation,
      shown: { annotations },
      leaving: true,
      waitingFor: '',
    } as const;

    expect(await publishOnce({ kube, moment: 1, view: { ...leaving, run: 'run-1', revision: 1 } })).toEqual({
      kind: 'behind',
    });
    const kept = await kube.find(objectPath(KINDS.metal3Machine, machine));
    expect(kept).toMatchObject({ metadata: { finalizers: [MACHINE_FINALIZER] } });

    await scene.patchHost(host, { spec: { consumerRef: null } });
    expect(await publishOnce({ kube, moment: 2, view: { ...leaving, run: 'run-1', revision: 2 } })).toMatchObject({
      kind: 'published',
    });
    expect(await kube.find(objectPath(KINDS.metal3Machine, machine))).toBeUndefined();
  });
});
