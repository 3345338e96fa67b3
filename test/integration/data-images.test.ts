import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { dataImage } from '../../api/dataimage/schema.ts';
import type { MediaView } from '../../domain/host/report/view.ts';
import { dataImagePath } from '../../kube/paths.ts';
import { openScene, PATIENCE, type Scene, viewOf } from './bridge/harness.ts';
import { sharedControlPlane } from './control-plane.ts';

const URL = 'http://images/data.iso';
const HELD = ['dataimage.metal3.io'];

let scene: Scene;
beforeAll(async () => {
  scene = await openScene(sharedControlPlane());
  await scene.startRecorder();
  scene.startBridge();
});
afterAll(() => scene.end());

const pathOf = (name: string) => dataImagePath({ namespace: scene.namespace, name });
const find = async (name: string) => {
  const found = await scene.kube.find(pathOf(name));
  return found === undefined ? undefined : dataImage.parse(found);
};
const until = (name: string, expected: object): Promise<void> =>
  vi.waitFor(async () => expect(await find(name)).toMatchObject(expected), PATIENCE);
const gone = (name: string): Promise<void> =>
  vi.waitFor(async () => expect(await find(name)).toBeUndefined(), PATIENCE);
const remove = (name: string) => scene.kube.request({ method: 'DELETE', path: pathOf(name) });

async function create(name: string, finalizers: readonly string[] = []): Promise<string> {
  const body = {
    apiVersion: 'metal3.io/v1alpha1',
    kind: 'DataImage',
    metadata: { name, finalizers },
    spec: { url: URL },
  };
  const created = await scene.kube.request({ method: 'POST', path: pathOf('').replace(/\/$/, ''), body });
  return dataImage.parse(created).metadata.uid ?? '';
}

/** A host that shows this for its DataImage. */
async function showing(name: string, media: MediaView, revision = 1): Promise<void> {
  const host = await scene.host(name);
  if (host === undefined) throw new Error(`there is no host ${name}`);
  await scene.show(viewOf(host, 'provisioned', { revision, shown: { ofKind: { media } } }));
}

const status = (url: string, error = { count: 0, message: '' }) => ({ attachedImage: { url }, error });

describe('a DataImage', () => {
  test('belongs to the host of its name, whose workflow is signalled', async () => {
    const host = await scene.createHost('owner');
    const uid = await create('owner');
    await until('owner', {
      metadata: {
        finalizers: HELD,
        ownerReferences: [{ kind: 'BareMetalHost', name: 'owner', uid: host.metadata.uid }],
      },
    });
    expect((await find('owner'))?.metadata.ownerReferences?.[0]?.controller).toBeUndefined();
    await vi.waitFor(async () => {
      const { snapshots } = await scene.recorded('owner');
      expect(snapshots.at(-1)?.dataImage).toMatchObject({ uid, url: URL, deleting: false });
    }, PATIENCE);
  });

  test('shows the image in the drive, and is removed once the drive is empty', async () => {
    await scene.createHost('shown');
    const uid = await create('shown');
    await until('shown', { metadata: { finalizers: HELD } });
    const failed = { count: 2, message: 'no such host' };
    await showing('shown', { uid, status: status(URL, failed), release: false });
    await until('shown', { status: { attachedImage: { url: URL }, error: failed } });

    await remove('shown');
    await showing('shown', { uid, status: status(URL), release: false }, 2);
    await until('shown', { metadata: { finalizers: HELD }, status: { error: { count: 0, message: '' } } });
    await showing('shown', { uid, status: status(''), release: true }, 3);
    await gone('shown');
  });

  test('of a host that is detached goes at once', async () => {
    await scene.createHost('detached', { metadata: { annotations: { 'baremetalhost.metal3.io/detached': '' } } });
    await create('detached');
    await until('detached', { metadata: { finalizers: HELD } });
    await remove('detached');
    await gone('detached');
  });

  test('of a host that is paused is left alone until it is not', async () => {
    const paused = 'baremetalhost.metal3.io/paused';
    await scene.createHost('paused', { metadata: { annotations: { [paused]: '' } } });
    await create('paused');
    await scene.createHost('marker');
    await create('marker');
    await until('marker', { metadata: { finalizers: HELD } });
    expect((await find('paused'))?.metadata.finalizers).toBeUndefined();

    await scene.patchHost('paused', { metadata: { annotations: { [paused]: null } } });
    await until('paused', { metadata: { finalizers: HELD } });
  });

  test('without a host has no finalizer', async () => {
    await create('nobody', HELD);
    await vi.waitFor(async () => expect((await find('nobody'))?.metadata.finalizers).toBeUndefined(), PATIENCE);
  });
});
