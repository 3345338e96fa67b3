import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createKubernetesActivities } from '../../activities/kubernetes/activities.ts';
import type { BareMetalHost } from '../../api/baremetalhost/types.ts';
import { objectMeta } from '../../api/meta/object-meta.ts';
import { preprovisioningImage } from '../../api/preprovisioningimage/schema.ts';
import { KINDS } from '../../kube/kinds.ts';
import { collectionPath, hostPath, imagePath, secretPath } from '../../kube/paths.ts';
import { openScene, PATIENCE, type Scene } from './bridge/harness.ts';
import { sharedControlPlane } from './control-plane.ts';

const NONE = { byArchitecture: {} };
const URLS = { iso: { base: 'http://images/agent.iso', byArchitecture: {} }, kernel: NONE, ramdisk: NONE };

let scene: Scene;
beforeAll(async () => {
  scene = await openScene(sharedControlPlane());
  scene.startBridge({ agentUrls: URLS, config: { BUILD_PREPROV_IMAGE: true } });
});
afterAll(() => scene.end());

const find = async (name: string) => {
  const found = await scene.kube.find(imagePath({ namespace: scene.namespace, name }));
  return found === undefined ? undefined : preprovisioningImage.parse(found);
};
const remove = (name: string) =>
  scene.kube.request({ method: 'DELETE', path: imagePath({ namespace: scene.namespace, name }) });

async function createImage(name: string, spec: object, metadata: object = {}): Promise<void> {
  const body = {
    apiVersion: 'metal3.io/v1alpha1',
    kind: 'PreprovisioningImage',
    metadata: { name, ...metadata },
    spec: { architecture: 'x86_64', acceptFormats: ['iso'], ...spec },
  };
  await scene.kube.request({ method: 'POST', path: collectionPath(KINDS.preprovisioningImage, scene.namespace), body });
}

const until = (name: string, expected: object): Promise<void> =>
  vi.waitFor(async () => expect(await find(name)).toMatchObject(expected), PATIENCE);
const READY = { type: 'Ready', status: 'True', reason: 'ImageSuccess', message: 'Generated image' };

describe('a PreprovisioningImage', () => {
  test('is filled in from the operator’s images, and kept until it is', async () => {
    await createImage('plain', {});
    await until('plain', {
      metadata: { finalizers: ['preprovisioningimage.metal3.io'] },
      status: {
        imageUrl: URLS.iso.base,
        format: 'iso',
        architecture: 'x86_64',
        conditions: [READY, { type: 'Error' }],
      },
    });
  });

  test('shows that its Secret is missing, and is built as soon as it appears', async () => {
    await createImage('early', { networkDataName: 'late' });
    await until('early', {
      status: {
        conditions: [
          { type: 'Ready', status: 'False' },
          { type: 'Error', reason: 'MissingNetworkData' },
        ],
      },
    });

    await scene.createSecret('late');

    await until('early', {
      status: { imageUrl: URLS.iso.base, conditions: [READY, { type: 'Error', status: 'False' }] },
    });
    const image = await find('early');
    const secret = objectMeta.parse(
      ((await scene.kube.find(secretPath({ namespace: scene.namespace, name: 'late' }))) as { metadata: unknown })
        .metadata,
    );
    expect(image?.status?.networkData).toEqual({ name: 'late', version: secret.resourceVersion });
    expect(secret.labels).toEqual({ 'environment.metal3.io': 'baremetal' });
    expect([secret.finalizers, secret.ownerReferences]).toEqual([undefined, undefined]);
  });

  test('is built again when its Secret changes', async () => {
    await scene.createSecret('changing');
    await createImage('follower', { networkDataName: 'changing' });
    await until('follower', { status: { conditions: [READY, {}] } });
    const before = (await find('follower'))?.status?.networkData?.version;

    await scene.kube.patch(secretPath({ namespace: scene.namespace, name: 'changing' }), { stringData: { more: 'x' } });

    await vi.waitFor(async () => {
      const status = (await find('follower'))?.status;
      expect(status?.networkData?.version).not.toBe(before);
      expect(status?.conditions).toMatchObject([READY, {}]);
    }, PATIENCE);
  });

  test('without other finalizers loses ours when it is deleted', async () => {
    await createImage('leaving', {}, { finalizers: ['baremetalhost.metal3.io/preprovisioningImage'] });
    await until('leaving', { status: { conditions: [READY, {}] } });
    await remove('leaving');
    await createImage('marker', {});
    await until('marker', { status: { conditions: [READY, {}] } });
    expect((await find('leaving'))?.metadata.finalizers).toContain('preprovisioningimage.metal3.io');

    await scene.kube.patch(imagePath({ namespace: scene.namespace, name: 'leaving' }), {
      metadata: { finalizers: ['preprovisioningimage.metal3.io'] },
    });

    await vi.waitFor(async () => expect(await find('leaving')).toBeUndefined(), PATIENCE);
  });
});

describe('the PreprovisioningImage of a host', () => {
  const refOf = ({ metadata: { namespace, name, uid = '' } }: BareMetalHost) => ({ namespace, name, uid });
  const activities = () => createKubernetesActivities({ kube: scene.kube, defaultArchitecture: 'x86_64' });

  test('is made once, owned and labelled by the host, and follows what it needs', async () => {
    const host = await scene.createHost('owner', { metadata: { labels: { rack: 'r1' } } });
    const desired = { acceptFormats: ['iso', 'initrd'] } as const;
    await activities().requestImage({ host: refOf(host), desired });
    await activities().requestImage({ host: refOf(host), desired });

    await until('owner', {
      metadata: {
        labels: { rack: 'r1' },
        ownerReferences: [{ kind: 'BareMetalHost', name: 'owner', controller: true, uid: host.metadata.uid }],
      },
      spec: { architecture: 'x86_64', acceptFormats: ['iso', 'initrd'] },
      status: { conditions: [READY, {}] },
    });
    expect((await find('owner'))?.metadata.finalizers).toContain('baremetalhost.metal3.io/preprovisioningImage');

    await scene.patchHost('owner', {
      metadata: { labels: { rack: 'r2', row: '7' } },
      spec: { preprovisioningNetworkDataName: 'owner-network' },
    });
    await scene.createSecret('owner-network');
    await activities().requestImage({
      host: refOf(host),
      desired: { ...desired, architecture: 'aarch64', networkDataName: 'owner-network' },
    });

    await until('owner', {
      metadata: { labels: { rack: 'r2', row: '7' } },
      spec: { architecture: 'aarch64', networkDataName: 'owner-network' },
      status: { architecture: 'aarch64', networkData: { name: 'owner-network' }, conditions: [READY, {}] },
    });
    const { metadata } = (await scene.kube.find(
      secretPath({ namespace: scene.namespace, name: 'owner-network' }),
    )) as BareMetalHost;
    expect(metadata.finalizers).toEqual(['baremetalhost.metal3.io/secret']);
    expect(metadata.ownerReferences).toBeUndefined();
  });

  test('is given no Secret that the host does not name, and that Secret stays as it is', async () => {
    const host = await scene.createHost('modest');
    await scene.createSecret('of-others');
    const secret = secretPath({ namespace: scene.namespace, name: 'of-others' });
    const before = await scene.kube.find(secret);
    const desired = { acceptFormats: ['iso'], networkDataName: 'of-others' } as const;
    await activities().requestImage({ host: refOf(host), desired });
    expect(await scene.kube.find(secret)).toEqual(before);
    expect(await find('modest')).toBeUndefined();
  });

  test('is let go with the host', async () => {
    const host = await scene.createHost('ending');
    await activities().requestImage({ host: refOf(host), desired: { acceptFormats: ['iso'] } });
    await remove('ending');
    await scene.kube.request({ method: 'DELETE', path: hostPath(refOf(host)) });
    await activities().releaseHost({ host: refOf(host) });
    await vi.waitFor(async () => expect(await find('ending')).toBeUndefined(), PATIENCE);
  });

  test('reaches the host’s workflow', async () => {
    await scene.startRecorder();
    const host = await scene.createHost('watching', { metadata: { labels: { rack: 'r1' } } });
    await activities().requestImage({ host: refOf(host), desired: { acceptFormats: ['iso'] } });
    await vi.waitFor(async () => {
      const { snapshots } = await scene.recorded('watching');
      expect(snapshots.at(-1)?.image).toMatchObject({
        hasFinalizer: true,
        labelled: true,
        deleting: false,
        status: { imageUrl: URLS.iso.base, conditions: [READY, {}] },
      });
    }, PATIENCE);
  });
});
