import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { atNight } from '../at-night.ts';
import { keepHistories } from './support/histories.ts';
import {
  apply,
  bmcSecret,
  createHost,
  editHost,
  getHost,
  hostGone,
  hostIn,
  hostManifest,
  hostThat,
  kubectl,
  NAMESPACE,
  secret,
} from './support/hosts.ts';
import type { TestLab } from './support/lab.ts';
import { machineOf, nodeOf, nodesOf, powerOf } from './support/metal.ts';
import { joinLab } from './support/place/join.ts';
import { recorded } from './support/recorded.ts';

/** Complete lives of hosts on real Ironic. */
let lab: TestLab;
beforeAll(async () => {
  lab = await joinLab({ machines: 10 });
});
afterAll(() => lab?.stop());

const anImage = () => lab.endpoints.testImage;

describe('a host that breaks a rule', () => {
  test('is refused, and kubectl says why', async () => {
    const bad = { online: true, bmc: { address: 'libvirt://10.0.0.1', credentialsName: 'none' } };
    const manifest = { apiVersion: 'metal3.io/v1alpha1', kind: 'BareMetalHost', metadata: { name: 'bad' }, spec: bad };
    const input = JSON.stringify(manifest);
    // The lab's API server accepts everything until it knows its webhooks.
    const trial = () => kubectl(lab, ['apply', '--dry-run=server', '-f', '-'], { input });
    await vi.waitFor(() => expect(trial()).rejects.toThrow('denied'), { timeout: 60_000, interval: 1_000 });
    await expect(kubectl(lab, ['apply', '-f', '-'], { input })).rejects.toThrow(
      'admission webhook "baremetalhost.metal3.io" denied the request: BMC driver libvirt requires a BootMACAddress value',
    );
  });
});

describe('a host with an image', () => {
  const name = 'host-0';

  test('is registered, inspected, made available and provisioned', async () => {
    await apply(lab, secret('host-0-user-data', { userData: '#cloud-config\nhostname: host-0\n' }));
    await createHost(lab, 0, { image: anImage(), userData: { name: 'host-0-user-data' } });
    await kubectl(lab, [
      'wait',
      '--for=jsonpath={.status.provisioning.state}=provisioned',
      `bmh/${name}`,
      '--timeout=600s',
    ]);
    const host = await getHost(lab, name);
    expect(host?.status).toMatchObject({
      operationalStatus: 'OK',
      poweredOn: true,
      errorCount: 0,
      errorMessage: '',
      hardwareProfile: 'unknown',
      provisioning: {
        state: 'provisioned',
        bootMode: 'UEFI',
        image: anImage(),
        rootDeviceHints: { deviceName: '/dev/sda' },
      },
      triedCredentials: { credentials: { name: 'host-0-bmc', namespace: NAMESPACE } },
    });
    expect(host?.status['goodCredentials']).toEqual(host?.status['triedCredentials']);
    for (const operation of ['register', 'inspect', 'provision']) {
      expect(host?.status).toHaveProperty(`operationHistory.${operation}.start`, expect.stringMatching(/Z$/));
      expect(host?.status).toHaveProperty(`operationHistory.${operation}.end`, expect.stringMatching(/Z$/));
    }
    expect(host?.metadata.finalizers).toContain('baremetalhost.metal3.io');
  });

  test('has the image and its config drive on its disk', async () => {
    const { disk } = await machineOf(lab, 0);
    expect(disk).toMatchObject({
      image: { digest: anImage().checksum },
      configDrive: {
        userData: '#cloud-config\nhostname: host-0\n',
        metaData: { 'metal3-name': name, 'metal3-namespace': NAMESPACE, name, local_hostname: name },
      },
    });
  });

  test('shows its hardware, in its status and as HardwareData', async () => {
    const hardware = JSON.parse(await kubectl(lab, ['get', 'hardwaredata', name, '-o', 'json'])) as {
      spec: { hardware: object };
    };
    const inventory = lab.machines[0]?.inventory;
    expect(hardware.spec.hardware).toMatchObject({
      cpu: { count: inventory?.cpu.count },
      ramMebibytes: inventory?.ramMiB,
    });
    expect((await getHost(lab, name))?.status['hardware']).toEqual(hardware.spec.hardware);
  });

  test('has an Event for each step of its life', async () => {
    const listed = await kubectl(lab, [
      'get',
      'events',
      '--field-selector',
      `involvedObject.name=${name}`,
      '-o',
      'jsonpath={.items[*].reason}',
    ]);
    expect(listed.split(' ')).toEqual(
      expect.arrayContaining([
        'Registered',
        'BMCAccessValidated',
        'ProfileSet',
        'InspectionStarted',
        'InspectionComplete',
        'ProvisioningStarted',
        'ProvisioningComplete',
      ]),
    );
  });

  test('shows upstream’s columns', async () => {
    const [head, row] = (await kubectl(lab, ['get', 'bmh', name])).split('\n');
    expect(head?.split(/\s+/)).toEqual(['NAME', 'STATE', 'CONSUMER', 'ONLINE', 'ERROR', 'AGE']);
    expect(row).toMatch(/^host-0\s+provisioned\s+true\s+\d+/);
    const [wide] = (await kubectl(lab, ['get', 'bmh', name, '-o', 'wide'])).split('\n');
    const columns = ['NAME', 'STATUS', 'STATE', 'CONSUMER', 'BMC', 'ONLINE', 'ERROR', 'AGE', 'REASON', 'PAUSED'];
    expect(wide?.trim().split(/\s+/)).toEqual(columns);
  });

  test('is powered off and on as spec.online says', async () => {
    await editHost(lab, name, { online: false });
    await hostThat(lab, name, 'off', ({ status }) => !status.poweredOn);
    expect(await powerOf(lab, 0)).toBe('Off');
    await editHost(lab, name, { online: true });
    await hostThat(lab, name, 'on', ({ status }) => status.poweredOn);
    expect((await getHost(lab, name))?.status.provisioning.state).toBe('provisioned');
  });

  test('is provisioned again when the image changes', async ({ skip }) => {
    atNight(skip, 'domain/host/states/provisioning.test.ts');
    const image = await otherImage();
    await editHost(lab, name, { image });
    await hostIn(lab, name, 'deprovisioning');
    await hostThat(
      lab,
      name,
      'provisioned with the other image',
      ({ status }) => status.provisioning.state === 'provisioned' && status.provisioning.image?.url === image.url,
    );
    expect((await machineOf(lab, 0)).disk).toMatchObject({ image: { digest: image.checksum } });
  });

  test('is deprovisioned when the image is removed, with kubectl edit', async () => {
    // An editor that deletes the image with its fields from the manifest.
    const editor = `sed -i '/^  image:/,/^  [a-z]/{/^  image:/d;/^    /d}'`;
    await kubectl(lab, ['edit', 'bmh', name], { env: { KUBE_EDITOR: editor } });
    const host = await hostIn(lab, name, 'available');
    expect(host.status.provisioning.image?.url).toBe('');
    expect((await machineOf(lab, 0)).disk).toMatchObject({ image: null });
  });

  test('is deleted with all that was made for it', async () => {
    await kubectl(lab, ['delete', 'bmh', name, '--wait=false']);
    await hostGone(lab, name);
    expect(await nodesOf(lab)).not.toContain(`${NAMESPACE}~${name}`);
    expect(
      await kubectl(lab, ['get', 'secret', 'host-0-bmc', '-o', 'jsonpath={.metadata.finalizers}']).catch(() => ''),
    ).toBe('');
    await keepHistories(lab, 'life', name);
  });
});

describe('an available host', () => {
  test('is left manageable in Ironic, and cleaned when its provisioning begins', async ({ skip }) => {
    atNight(skip, 'domain/ironic/moves/moves.test.ts');
    const name = await createHost(lab, 9);
    const { status } = await hostIn(lab, name, 'available');
    expect(await nodeOf(lab, name)).toMatchObject({ provision_state: 'manageable' });
    expect((await machineOf(lab, 9)).disk).toMatchObject({ erasures: 0 });
    await editHost(lab, name, { image: anImage() });
    await hostIn(lab, name, 'provisioned');
    expect((await machineOf(lab, 9)).disk).toMatchObject({ erasures: 1 });
    expect((await recorded(lab)).provisions['provide']?.[status.provisioning.ID]).toBe(1);
  });
});

async function otherImage() {
  const url = `${lab.endpoints.images}/other-2MiB.raw`;
  const answer = await fetch(`${url}.sha256`);
  return { url, checksum: (await answer.text()).split(' ')[0] ?? '', checksumType: 'sha256' as const };
}

describe('an externally provisioned host', () => {
  test('is adopted, powered, and deleted without being touched', async () => {
    const name = await createHost(lab, 1, { externallyProvisioned: true });
    await hostThat(
      lab,
      name,
      'externally provisioned and on',
      ({ status }) => status.provisioning.state === 'externally provisioned' && status.poweredOn,
    );
    await editHost(lab, name, { online: false });
    await hostThat(lab, name, 'off', ({ status }) => !status.poweredOn);
    await kubectl(lab, ['delete', 'bmh', name, '--wait=false']);
    await hostGone(lab, name);
    await keepHistories(lab, 'external', name);
  });
});

describe('a manifest that is applied again', () => {
  test('changes what changed in it', async ({ skip }) => {
    atNight(skip, 'test/integration/bridge-round-trip.test.ts');
    const manifest = hostManifest(lab, 1, { externallyProvisioned: true });
    await apply(lab, bmcSecret(lab, 'host-1'), manifest);
    await hostThat(lab, 'host-1', 'on', ({ status }) => status.poweredOn);
    await apply(lab, hostManifest(lab, 1, { externallyProvisioned: true, online: false }));
    await hostThat(lab, 'host-1', 'off', ({ status }) => !status.poweredOn);
  });
});

describe('a host without BMC details', () => {
  test('is unmanaged until it has them', async () => {
    const { metadata, ...rest } = hostManifest(lab, 2) as ReturnType<typeof hostManifest> & { spec: { bmc?: object } };
    const { bmc, ...spec } = rest.spec;
    await apply(lab, bmcSecret(lab, 'host-2'), { ...rest, metadata, spec });
    const host = await hostIn(lab, 'host-2', 'unmanaged');
    expect(host.status.operationalStatus).toBe('discovered');
    await editHost(lab, 'host-2', { bmc });
    await hostIn(lab, 'host-2', 'available');
  });
});

describe('deletion', () => {
  test.for([
    ['registering', 3],
    ['inspecting', 4],
    ['available', 5],
    ['provisioning', 6],
    ['deprovisioning', 7],
  ] as const)('of a host that is %s ends with nothing left', async ([state, index], { skip }) => {
    if (state !== 'provisioning') atNight(skip, 'test/e2e/namespaces.test.ts');
    const image = state === 'provisioning' || state === 'deprovisioning' ? { image: anImage() } : {};
    const name = await createHost(lab, index, image);
    if (state === 'deprovisioning') {
      await hostIn(lab, name, 'provisioned');
      await editHost(lab, name, { image: null });
    }
    await hostIn(lab, name, state);
    await kubectl(lab, ['delete', 'bmh', name, '--wait=false']);
    await hostGone(lab, name);
    expect(await nodesOf(lab)).not.toContain(`${NAMESPACE}~${name}`);
    await keepHistories(lab, `deleted-while-${state}`, name);
  });

  test('of a host whose Secret is gone works too', async () => {
    const name = await createHost(lab, 8);
    await hostIn(lab, name, 'available');
    // In this order: a Secret that is being deleted cannot be marked again.
    await kubectl(lab, ['delete', 'secret', `${name}-bmc`, '--wait=false']);
    await kubectl(lab, ['patch', 'secret', `${name}-bmc`, '--type=merge', '-p', '{"metadata":{"finalizers":null}}']);
    await kubectl(lab, ['delete', 'bmh', name, '--wait=false']);
    await hostGone(lab, name);
    expect(await nodesOf(lab)).not.toContain(`${NAMESPACE}~${name}`);
  });
});
