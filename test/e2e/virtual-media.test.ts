import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { dataImage } from '../../api/dataimage/schema.ts';
import { preprovisioningImage } from '../../api/preprovisioningimage/schema.ts';
import { dataImagePath, imagePath, secretPath } from '../../kube/paths.ts';
import {
  apply,
  createHost,
  editHost,
  getHost,
  hostGone,
  hostIn,
  hostThat,
  kubectl,
  NAMESPACE,
  secret,
} from './support/hosts.ts';
import type { TestLab } from './support/lab.ts';
import { driveOf, nodeOf, powerOf } from './support/metal.ts';
import { joinLab } from './support/place/join.ts';

/** Images that are built for a host, and images in its virtual drive, on real Ironic. */
let lab: TestLab;
beforeAll(async () => {
  lab = await joinLab({ machines: 2, temperEnv: { BUILD_PREPROV_IMAGE: 'true' } });
});
afterAll(() => lab?.stop());

const PATIENCE = { timeout: 600_000, interval: 200 };
const named = (name: string) => ({ namespace: NAMESPACE, name });

describe('a host whose deploy image is built for it', () => {
  test('is inspected and provisioned with it', async () => {
    await apply(lab, secret('network', { networkData: 'links: []' }));
    const wish = { image: lab.endpoints.testImage, preprovisioningNetworkDataName: 'network' };
    const name = await createHost(lab, 0, wish);
    await kubectl(lab, ['label', 'bmh', name, 'rack=r1']);
    const host = await hostIn(lab, name, 'provisioned');

    const image = preprovisioningImage.parse(await lab.kube.find(imagePath(named(name))));
    expect(image).toMatchObject({
      metadata: {
        ownerReferences: [{ kind: 'BareMetalHost', name, uid: host.metadata.uid, controller: true }],
        finalizers: ['baremetalhost.metal3.io/preprovisioningImage', 'preprovisioningimage.metal3.io'],
        labels: { rack: 'r1' },
      },
      spec: { acceptFormats: ['iso', 'initrd'] },
      status: { imageUrl: lab.endpoints.deployIso, format: 'iso', networkData: { name: 'network' } },
    });
    // The Secret would be deleted with an owner.
    expect(await lab.kube.find(secretPath(named('network')))).not.toHaveProperty('metadata.ownerReferences');
    expect((await nodeOf(lab, name)).driver_info).toMatchObject({ deploy_iso: lab.endpoints.deployIso });
  });

  test('takes its image with it', async () => {
    await kubectl(lab, ['delete', 'bmh', 'host-0', '--wait=false']);
    await hostGone(lab, 'host-0');
    await vi.waitFor(async () => expect(await lab.kube.find(imagePath(named('host-0')))).toBeUndefined(), PATIENCE);
  });
});

describe('a DataImage', () => {
  const name = 'host-1';
  const url = () => `${lab.endpoints.images}/data-1MiB.iso`;
  const find = async () => {
    const found = await lab.kube.find(dataImagePath(named(name)));
    return found === undefined ? undefined : dataImage.parse(found);
  };
  const restart = async (): Promise<void> => {
    await editHost(lab, name, { online: false });
    await hostThat(lab, name, 'off', ({ status }) => !status.poweredOn);
    await editHost(lab, name, { online: true });
    await hostThat(lab, name, 'on', ({ status }) => status.poweredOn, 240_000).catch(async (error: unknown) => {
      throw new Error(`its drive: ${JSON.stringify((await find())?.status)}`, { cause: error });
    });
  };

  test('waits for the next start of its host', async () => {
    await createHost(lab, 1, { image: lab.endpoints.testImage });
    await hostIn(lab, name, 'provisioned');
    await apply(lab, {
      apiVersion: 'metal3.io/v1alpha1',
      kind: 'DataImage',
      metadata: named(name),
      spec: { url: url() },
    });
    await vi.waitFor(
      async () => expect((await find())?.metadata.finalizers).toEqual(['dataimage.metal3.io']),
      PATIENCE,
    );
    expect((await find())?.metadata.ownerReferences).toMatchObject([{ kind: 'BareMetalHost', name }]);
    await vi.waitFor(
      async () => expect((await find())?.status).toMatchObject({ attachedImage: { url: '' } }),
      PATIENCE,
    );
    expect(await driveOf(lab, 1)).toMatchObject({ Inserted: false });
  });

  test('is in the drive after that', async () => {
    await restart();
    expect(await driveOf(lab, 1)).toMatchObject({ Inserted: true });
    await vi.waitFor(
      async () =>
        expect((await find())?.status).toMatchObject({
          attachedImage: { url: url() },
          error: { count: 0, message: '' },
          lastReconciled: expect.stringMatching(/Z$/) as unknown,
        }),
      PATIENCE,
    );
  });

  test('stays until it is out when it is deleted, which is at the next start', async () => {
    await kubectl(lab, ['delete', 'dataimage', name, '--wait=false']);
    await vi.waitFor(async () => expect((await find())?.metadata.deletionTimestamp).toBeDefined(), PATIENCE);
    await editHost(lab, name, { description: 'somebody else’s change' });
    await hostThat(lab, name, 'settled', ({ metadata, status }) =>
      ((status['conditions'] ?? []) as { observedGeneration?: number }[]).some(
        ({ observedGeneration }) => observedGeneration === metadata.generation,
      ),
    );
    expect([await find(), await driveOf(lab, 1)]).toMatchObject([{ metadata: { name } }, { Inserted: true }]);

    await restart();

    await vi.waitFor(async () => expect(await find()).toBeUndefined(), PATIENCE);
    expect(await driveOf(lab, 1)).toMatchObject({ Inserted: false });
    expect(await powerOf(lab, 1)).toBe('On');
    expect((await getHost(lab, name))?.status).toMatchObject({ operationalStatus: 'OK', errorCount: 0 });
  });

  test('without a host is let go', async () => {
    const orphan = { ...named('nobody'), finalizers: ['dataimage.metal3.io'] };
    await apply(lab, { apiVersion: 'metal3.io/v1alpha1', kind: 'DataImage', metadata: orphan, spec: { url: url() } });
    await kubectl(lab, ['delete', 'dataimage', 'nobody', '--timeout=60s']);
    expect(await lab.kube.find(dataImagePath(named('nobody')))).toBeUndefined();
  });
});
