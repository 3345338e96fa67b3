import type { BareMetalHostSpec } from '../../../api/baremetalhost/types.ts';
import type { Failure } from '../../../lab/machines/failure.ts';
import { bootMac } from '../../../lab/machines/machine.ts';
import {
  apply,
  bmcSecret,
  createHost,
  editHost,
  fakeHostManifest,
  hostIn,
  hostManifest,
  hostThat,
} from '../../e2e/support/hosts.ts';
import { letFail } from '../../e2e/support/metal.ts';
import { aHeldHost, host, type ImageChange, image, metadata, type Scene, type Seed } from './scene.ts';
import { NOWHERE } from './servers.ts';
import type { Asked } from './told.ts';

interface HostWish {
  readonly spec?: (index: number) => Partial<BareMetalHostSpec>;
  /** null: without a Secret. */
  readonly login?: Record<string, string> | null;
  readonly annotations?: Record<string, string>;
  readonly failures?: readonly Failure[];
}

/** A host on a machine of its own. */
async function aHost(scene: Scene, { spec, login = {}, annotations = {}, failures = [] }: HostWish): Promise<Asked> {
  const index = scene.nextMachine();
  await letFail(scene.lab, index, ...failures);
  const manifest = hostManifest(scene.lab, index, spec?.(index));
  const { metadata } = manifest;
  if (login !== null) await apply(scene.lab, bmcSecret(scene.lab, metadata.name, login));
  await apply(scene.lab, { ...manifest, metadata: { ...metadata, annotations } });
  return host(metadata.name);
}

/** A host that is in this state before the machine gets its failures and the host another spec. */
async function afterwards(
  scene: Scene,
  before: { readonly state: string; readonly spec?: Partial<BareMetalHostSpec> },
  spec: object,
  ...failures: readonly Failure[]
): Promise<Asked> {
  const index = scene.nextMachine();
  const name = await createHost(scene.lab, index, before.spec);
  await hostIn(scene.lab, name, before.state);
  await letFail(scene.lab, index, ...failures);
  await editHost(scene.lab, name, spec);
  return host(name);
}

const deploying = (scene: Scene, change: ImageChange, ...failures: readonly Failure[]): Promise<Asked> =>
  afterwards(scene, { state: 'available' }, image(scene, change), ...failures);
const imageAt = (scene: Scene, address: string, scheme = 'http'): Promise<Asked> =>
  deploying(scene, { url: `${scheme}://${address}/disk.raw` });
/** The agent fails in the step that writes the image. */
const failingToWrite = (scene: Scene, message: string): Promise<Asked> =>
  deploying(scene, {}, { kind: 'deploy-step', step: 'write_image', message });
const bmcAt = (scene: Scene, address: string): Promise<Asked> =>
  aHost(scene, {
    spec: (index) => ({
      bmc: {
        address: `redfish-virtualmedia+https://${address}/redfish/v1/Systems/${scene.lab.machines[index]?.uuid}`,
        credentialsName: `host-${index}-bmc`,
      },
    }),
  });

const fakeImage = { image: { url: 'http://images/a.raw', checksum: '0'.repeat(64), checksumType: 'sha256' } } as const;

/** What keeps a host waiting, by its cause. */
export const HOST_SEEDS: Readonly<Record<string, Seed>> = {
  'bmc-secret-missing': (scene) => aHost(scene, { login: null }),
  'bmc-secret-incomplete': (scene) => aHost(scene, { login: { password: '' } }),
  'bmc-password': (scene) => aHost(scene, { login: { password: 'wrong' } }),
  'bmc-system-unknown': (scene) =>
    aHost(scene, {
      spec: (index) => ({
        bmc: {
          address: `redfish-virtualmedia+${scene.lab.endpoints.redfish}/redfish/v1/Systems/00000000-0000-0000-0000-000000000000`,
          credentialsName: `host-${index}-bmc`,
        },
      }),
    }),
  'bmc-unreachable': (scene) => bmcAt(scene, NOWHERE),
  'bmc-certificate': (scene) => bmcAt(scene, scene.servers.untrusted),
  'bmc-certificate-expired': (scene) => bmcAt(scene, scene.servers.expired),
  'mac-in-use': async (scene) => {
    const first = scene.nextMachine();
    const name = await createHost(scene.lab, first);
    await hostThat(scene.lab, name, 'registered', ({ status }) => status.provisioning.ID !== '');
    return aHost(scene, {
      spec: () => ({ bootMACAddress: bootMac(scene.lab.machines[first] as (typeof scene.lab.machines)[number]) }),
    });
  },
  'agent-silent-inspection': (scene) => aHost(scene, { failures: [{ kind: 'silent-agent' }] }),
  'inspection-failed': (scene) => aHost(scene, { failures: [{ kind: 'inspection', message: 'the bus is on fire' }] }),
  // The disks are not cleaned first: otherwise the agent is silent during that.
  'agent-silent-deploy': (scene) =>
    afterwards(scene, { state: 'available', spec: { automatedCleaningMode: 'disabled' } }, image(scene), {
      kind: 'silent-agent',
    }),
  'agent-silent-cleaning': (scene) =>
    afterwards(scene, { state: 'provisioned', spec: image(scene) }, { image: null }, { kind: 'silent-agent' }),
  'clean-step': (scene) =>
    afterwards(
      scene,
      { state: 'provisioned', spec: image(scene) },
      { image: null },
      { kind: 'clean-step', message: 'Error erasing block device: /dev/sda: input/output error' },
    ),
  'deploy-step': (scene) => failingToWrite(scene, 'the disk is on fire'),
  'disk-too-small': (scene) =>
    failingToWrite(scene, 'Unable to write image to device /dev/sda. Error: [Errno 28] No space left on device'),
  'permission-denied': (scene) =>
    failingToWrite(scene, 'Unable to write image to device /dev/sda. Error: [Errno 13] Permission denied'),
  'root-device-hints': (scene) =>
    failingToWrite(scene, `No suitable device was found for deployment using these hints {'name': 's== /dev/sdz'}`),
  raid: (scene) => aHost(scene, { spec: () => ({ raid: { hardwareRAIDVolumes: [{ level: '1' }] } }) }),
  'image-not-found': (scene) => deploying(scene, { url: `${scene.lab.endpoints.images}/none` }),
  'image-checksum-wrong': (scene) => deploying(scene, { checksum: '0'.repeat(64) }),
  'image-checksum-file': (scene) =>
    deploying(scene, { checksum: `${scene.lab.endpoints.images}/other-1MiB.raw.sha256` }),
  'image-forbidden': (scene) => imageAt(scene, scene.servers.forbidden),
  'image-certificate': (scene) => imageAt(scene, scene.servers.untrusted, 'https'),
  'image-unreachable': (scene) => imageAt(scene, NOWHERE),
  'data-secret-missing': (scene) =>
    afterwards(scene, { state: 'available' }, { ...image(scene), userData: { name: 'nowhere' } }),
  adoption: (scene) =>
    aHost(scene, {
      spec: () => ({ externallyProvisioned: true, image: { url: scene.lab.endpoints.deployIso, format: 'live-iso' } }),
    }),
  'step-held': (scene) => aHeldHost(scene, 'step-held', { 'temper/approval': 'erase' }, { ...fakeImage, online: true }),
  'wants-to-be-off': (scene) => aHeldHost(scene, 'wants-to-be-off', {}, { ...fakeImage, online: false }),
  paused: (scene) => aHeldHost(scene, 'paused', { 'baremetalhost.metal3.io/paused': 'power work' }, { online: true }),
  quarantine: (scene) => aHeldHost(scene, 'quarantine', { 'temper/quarantine': 'the fan is loud' }, { online: true }),
  detached: async (scene) => {
    const { name } = await aHeldHost(scene, 'detached', {}, { online: true, ...fakeImage });
    await hostIn(scene.lab, name, 'provisioned');
    await apply(scene.lab, {
      ...fakeHostManifest(name, { online: true, ...fakeImage }),
      metadata: { ...metadata(name), annotations: { 'baremetalhost.metal3.io/detached': 'true' } },
    });
    return host(name);
  },
  'no-bmc': async (scene) => {
    const { metadata, ...rest } = fakeHostManifest('no-bmc', { online: true }) as { metadata: object; spec: object };
    await apply(scene.lab, { ...rest, metadata, spec: { online: true } });
    return host('no-bmc');
  },
};
