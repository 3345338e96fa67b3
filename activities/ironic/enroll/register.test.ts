import { afterEach, describe, expect, test } from 'vitest';
import { desiredSettings } from '../../../domain/ironic/node-settings.ts';
import type { RegisterOrder } from '../../../domain/ironic/orders.ts';
import { sealUrl } from '../../../kube/objects/sealed-urls.ts';
import { type ScriptedActivities, scriptActivities } from '../../../test/builders/scripted-activities.ts';
import { type Answer, aNodeAnswer, fault } from '../../../test/builders/scripted-ironic.ts';
import { aSecretText } from '../../../test/builders/secret-text.ts';
import type { HostData, SecretText } from '../../host-data.ts';
import type { IronicSettings } from '../settings.ts';

let open: ScriptedActivities | undefined;
afterEach(async () => open?.close());

const NODE = '11111111-1111-4111-8111-111111111111';
const MAC = '52:54:00:00:00:01';
const anOrder = (address: string, order: Partial<RegisterOrder> = {}): RegisterOrder => ({
  host: { namespace: 'metal', name: 'host-1', uid: 'uid-1' },
  nodeId: '',
  bmc: { address, credentialsName: 's', disableCertificateVerification: false },
  ...desiredSettings({ bootMACAddress: MAC }),
  bootMode: 'UEFI',
  inspectionMode: 'agent',
  credentialsChanged: false,
  credentialsSeen: null,
  retry: false,
  deleting: false,
  ...order,
});

const ok = (body: unknown): Answer => ({ status: 200, body });
const unknown: Answer = 'gone';
/** A node as Ironic returns it after it was created as desired. */
const created = (redfish_address = 'https://bmc'): Answer => ({
  status: 201,
  body: aNodeAnswer({
    provision_state: 'enroll',
    driver_info: { ipmi_address: 'bmc', redfish_address },
    properties: { capabilities: 'boot_mode:uefi', cpu_arch: 'x86_64' },
    automated_clean: true,
    disable_power_off: false,
  }),
});
/** The access to a BMC at `redfish-virtualmedia://bmc`, as Ironic shows it. */
const ACCESS = { redfish_address: 'https://bmc', redfish_username: 'admin', redfish_password: '******' };
const port: Answer = { status: 201, body: { uuid: 'p', address: MAC } };
const accepted: Answer = { status: 202 };

async function register(
  order: RegisterOrder,
  answers: readonly Answer[],
  settings: Partial<IronicSettings> = {},
  hostData: Partial<HostData> = {},
) {
  open = await scriptActivities(answers, settings, hostData);
  const answer = await open.activities.registerNode(order);
  return { answer, asked: open.asked() };
}

/** The body of the request that creates the node. */
const nodeAskedFor = (asked: ReturnType<ScriptedActivities['asked']>) =>
  new Map(asked).get('POST /v1/nodes') as { readonly driver_info: Readonly<Record<string, unknown>> };

const IDRAC = {
  bios_interface: 'idrac-redfish',
  management_interface: 'idrac-redfish',
  power_interface: 'idrac-redfish',
  raid_interface: 'idrac-redfish',
  vendor_interface: 'idrac-redfish',
  firmware_interface: 'redfish',
};

/** Cases for which the lab's Ironic has no drivers. */
describe('a new node, on recorded requests', () => {
  test.each([
    ['ipmi://bmc', 'agent', { driver: 'ipmi', boot_interface: 'ipxe', raid_interface: 'no-raid' }],
    ['libvirt://bmc:6230', 'agent', { driver: 'ipmi', boot_interface: 'ipxe', raid_interface: 'no-raid' }],
    [
      'redfish://bmc',
      'fast',
      { driver: 'redfish', boot_interface: 'ipxe', raid_interface: 'redfish', firmware_interface: 'redfish' },
    ],
    [
      'redfish-uefihttp://bmc',
      'agent',
      { driver: 'redfish', boot_interface: 'redfish-https', raid_interface: 'redfish', firmware_interface: 'redfish' },
    ],
    ['idrac-redfish://bmc', 'fast', { driver: 'idrac', boot_interface: 'ipxe', ...IDRAC }],
    ['idrac-virtualmedia://bmc', 'agent', { driver: 'idrac', boot_interface: 'idrac-redfish-virtual-media', ...IDRAC }],
  ] as const)('at %s, mode %s', async (address, inspectionMode, expected) => {
    const { answer, asked } = await register(anOrder(address, { inspectionMode }), [created(), port, accepted]);
    expect(answer).toMatchObject({ kind: 'registered', created: true, verifying: true });
    expect(asked.map(([request]) => request)).toEqual([
      'POST /v1/nodes',
      'POST /v1/ports',
      `PUT /v1/nodes/${NODE}/states/provision`,
    ]);
    const { driver_info, ...body } = nodeAskedFor(asked);
    expect(body).toEqual({
      name: 'metal~host-1',
      ...expected,
      inspect_interface: inspectionMode === 'fast' ? 'redfish' : 'agent',
      properties: { capabilities: 'boot_mode:uefi', cpu_arch: 'x86_64' },
      automated_clean: true,
      disable_power_off: false,
    });
    expect(Object.keys(driver_info)).toContain(expected.driver === 'ipmi' ? 'ipmi_address' : 'redfish_address');
    expect(asked.slice(1).map(([, sent]) => sent)).toEqual([
      { node_uuid: NODE, address: MAC, pxe_enabled: true },
      { target: 'manage' },
    ]);
  });

  test.each([
    ['redfish-virtualmedia://[fd00::1]', 'https://[fd00::1]', 'http://[fd00::2]:6180'],
    ['redfish-virtualmedia://192.0.2.1', 'https://192.0.2.1', undefined],
  ])("at %s gets the address of Ironic's images", async (address, bmc, expected) => {
    const settings = { externalUrlV6: 'http://[fd00::2]:6180' };
    const { asked } = await register(anOrder(address), [created(bmc), port, accepted], settings);
    const { driver_info } = nodeAskedFor(asked);
    expect(driver_info['external_http_url']).toBe(expected);
  });
});

describe('an image of the deploy agent that was built for the host', () => {
  const agentImage = (image: NonNullable<RegisterOrder['agentImage']>['image'], required = true) => ({
    agentImage: { image, required },
  });
  const iso = { format: 'iso', url: 'http://built/agent.iso' } as const;
  const kernelless = { format: 'initrd', url: 'http://built/ramdisk' } as const;

  test.each([
    ['an ISO where the BMC boots none', 'ipmi://bmc', iso],
    ['an initrd without any kernel', 'redfish-virtualmedia://bmc', kernelless],
  ])('is not acceptable as %s, and Ironic gets no request', async (_, address, image) => {
    const { answer, asked } = await register(anOrder(address, agentImage(image)), []);
    expect(answer).toEqual({
      kind: 'refused',
      message: 'Preprovisioning Image is not acceptable to provisioner',
      credentialsVersion: '1',
    });
    expect(asked).toEqual([]);
  });

  test.each([
    ['that is not there yet', agentImage(null)],
    ['that nobody is going to boot', agentImage(iso, false)],
  ])('%s keeps no host from being registered', async (_, more) => {
    const { answer } = await register(anOrder('ipmi://bmc', more), [created(), port, accepted]);
    expect(answer).toMatchObject({ kind: 'registered' });
  });
});

test('an image of the deploy agent goes to Ironic with the secrets in its URL', async () => {
  const url = 'https://me:canary@built/agent.iso?sig=canary';
  const sealed = sealUrl('uid-1', url);
  const openedUrl: HostData['openedUrl'] = (_, told) => Promise.resolve(told === sealed ? url : told);
  const image = { format: 'iso', url: sealed } as const;
  const order = anOrder('redfish-virtualmedia://bmc', { agentImage: { image, required: true } });
  const answers = [created(), port, created(), accepted];
  const { answer, asked } = await register(order, answers, {}, { openedUrl });
  expect(nodeAskedFor(asked).driver_info['deploy_iso']).toBe(url);
  expect(JSON.stringify([order, answer])).not.toContain('canary');
});

describe('a node that Ironic knows', () => {
  const found = (more: object = {}): Answer => ok(aNodeAnswer({ name: 'host-1', ...more }));
  const address = 'redfish-virtualmedia://bmc';
  const bare = { bootMACAddress: '' };

  test('by its id is not looked for by name', async () => {
    const { asked } = await register(anOrder(address, { ...bare, nodeId: NODE }), [found(), found()]);
    expect(asked.map(([request]) => request)).toEqual([`GET /v1/nodes/${NODE}`, `PATCH /v1/nodes/${NODE}`]);
  });

  test('by an older name gets the current one, where no MAC address identifies it', async () => {
    const { answer, asked } = await register(anOrder(address, bare), [found(), unknown, found()]);
    expect(answer).toMatchObject({ kind: 'registered', created: false });
    expect(asked.map(([request]) => request)).toEqual([
      'GET /v1/nodes/host-1',
      'GET /v1/nodes/metal~host-1',
      `PATCH /v1/nodes/${NODE}`,
    ]);
    expect(asked[2]?.[1]).toContainEqual({ op: 'add', path: '/name', value: 'metal~host-1' });
  });

  test('by its current name takes precedence over an older one', async () => {
    const ours = found({ name: 'metal~host-1', uuid: '22222222-2222-4222-8222-222222222222' });
    const { answer } = await register(anOrder(address, bare), [found(), ours, ours]);
    expect(answer).toMatchObject({ node: { id: '22222222-2222-4222-8222-222222222222' } });
  });

  const conflicts = (name: string) => `MAC address ${MAC} conflicts with existing node ${name}`;
  test.each([
    ['by the MAC address of a node without a name is that one', null, 'registered', undefined],
    ['by the MAC address of a node with the name of old is that one', 'host-1', 'registered', undefined],
    ['by the MAC address of another is refused', 'metal~other', 'refused', conflicts('metal~other')],
    ['by the MAC address of one in another namespace is refused', 'other~host-1', 'refused', conflicts('other~host-1')],
  ])('%s', async (_, name, kind, message) => {
    const other = '33333333-3333-4333-8333-333333333333';
    const owner = ok(aNodeAnswer({ uuid: other, name }));
    const taken: Answer = { status: 409, body: fault('a port with this address exists') };
    const ports = ok({ ports: [{ uuid: 'p', address: MAC, node_uuid: other }] });
    const { answer, asked } = await register(anOrder(address), [created(), taken, ports, owner, accepted, owner]);
    expect(answer.kind).toBe(kind);
    expect('message' in answer ? answer.message : undefined).toBe(message);
    expect(asked.map(([request]) => request)).toContain(`DELETE /v1/nodes/${NODE}`);
    const names = asked.flatMap(([request, patch]) =>
      request === `PATCH /v1/nodes/${other}`
        ? (patch as { path: string; value: unknown }[]).flatMap(({ path, value }) => (path === '/name' ? [value] : []))
        : [],
    );
    expect(names).toEqual(kind === 'registered' ? ['metal~host-1'] : []);
  });

  test('gets the network of the deploy agent, unless it is busy', async () => {
    const known = { driver_info: ACCESS };
    const wanted = anOrder(address, { ...bare, nodeId: NODE, preprovisioningNetworkDataName: 'net' });
    const resting = await register(wanted, [found(known), found(known)]);
    expect(resting.asked[1]?.[1]).toContainEqual({ op: 'add', path: '/network_data', value: { links: [] } });
    expect(resting.answer).toMatchObject({ networkVersion: '8' });
    await open?.close();
    const busy = await register(wanted, [found({ ...known, provision_state: 'cleaning' })]);
    expect(busy.answer).not.toHaveProperty('networkVersion');
  });

  test('returns the architecture that Ironic has, also while it is busy and can not be changed', async () => {
    const known = { properties: { cpu_arch: 'x86_64' }, driver_info: ACCESS };
    const wanted = anOrder(address, { ...bare, nodeId: NODE, architecture: 'aarch64' });
    const resting = await register(wanted, [found(known), found(known)]);
    expect(resting.answer).toMatchObject({ architecture: 'aarch64' });
    await open?.close();
    const busy = await register(wanted, [found({ ...known, provision_state: 'cleaning' })]);
    expect(busy.answer).toMatchObject({ architecture: 'x86_64' });
  });
});

describe('the settings of the BMC of a node that Ironic knows', () => {
  const SYSTEM = '/redfish/v1/Systems/1';
  const known = { ...ACCESS, redfish_system_id: SYSTEM };
  const bmc = { address: `redfish-virtualmedia://bmc${SYSTEM}`, credentialsName: 's' };
  const unverified = { ...bmc, disableCertificateVerification: true };
  const verified = { ...bmc, disableCertificateVerification: false };
  const order = (more: Partial<RegisterOrder>): RegisterOrder =>
    anOrder(bmc.address, { bootMACAddress: '', nodeId: NODE, ...more });
  const node = (provision_state: string, driver_info: object, more: object = {}): Answer =>
    ok(
      aNodeAnswer({
        name: 'metal~host-1',
        properties: { capabilities: 'boot_mode:uefi', cpu_arch: 'x86_64' },
        automated_clean: true,
        disable_power_off: false,
        provision_state,
        driver_info,
        ...more,
      }),
    );
  const failed = { last_error: 'certificate verify failed' };
  const sent = (asked: ReturnType<ScriptedActivities['asked']>): readonly unknown[] =>
    asked.filter(([request]) => !request.startsWith('GET')).map(([, body]) => body);

  describe.each(['enroll', 'manageable', 'available', 'active', 'deploy failed', 'error'])('in state %s', (state) => {
    test('follow the spec, in both directions', async () => {
      const first = await register(order({ bmc: unverified }), [node(state, known), node(state, known), accepted]);
      expect(sent(first.asked)[0]).toEqual([{ op: 'add', path: '/driver_info/redfish_verify_ca', value: false }]);
      await open?.close();
      const before = node(state, { ...known, redfish_verify_ca: false });
      const second = await register(order({ bmc: verified }), [before, node(state, known), accepted]);
      expect(sent(second.asked)[0]).toEqual([{ op: 'remove', path: '/driver_info/redfish_verify_ca' }]);
    });

    test('are not sent again when Ironic has them', async () => {
      const { asked } = await register(order({ bmc: verified }), [node(state, known), accepted]);
      expect(asked.filter(([request]) => request.startsWith('PATCH'))).toEqual([]);
    });
  });

  test('that are corrected begin the verification of a BMC that was not reached anew', async () => {
    const address = 'redfish-virtualmedia://bmc/redfish/v1/Systems/2';
    const { answer, asked } = await register(order({ bmc: { ...verified, address } }), [
      node('enroll', known, failed),
      node('enroll', known, failed),
      accepted,
    ]);
    expect(sent(asked)).toEqual([
      [{ op: 'add', path: '/driver_info/redfish_system_id', value: '/redfish/v1/Systems/2' }],
      { target: 'manage' },
    ]);
    expect(answer).toMatchObject({ kind: 'registered', verifying: true, node: { state: 'verifying' } });
  });

  test('that are the same leave a BMC that was not reached alone', async () => {
    const { answer, asked } = await register(order({ bmc: verified }), [node('enroll', known, failed)]);
    expect(sent(asked)).toEqual([]);
    expect(answer).toMatchObject({ kind: 'registered', verifying: true, node: { state: 'enroll' } });
  });

  test.each([
    ['port', { ipmi_port: '6239' }, 'ipmi_port', '6230'],
    ['privilege level', { ipmi_priv_level: 'USER' }, 'ipmi_priv_level', 'ADMINISTRATOR'],
  ])('with another %s of IPMI go as one change', async (_, change, key, value) => {
    const ipmi = {
      ipmi_address: 'bmc',
      ipmi_port: 6230,
      ipmi_username: 'admin',
      ipmi_password: '******',
      ipmi_priv_level: 'ADMINISTRATOR',
      ipmi_cipher_suite: '17',
    };
    const { asked } = await register(order({ bmc: { ...verified, address: 'ipmi://bmc:6230' } }), [
      node('available', { ...ipmi, ...change }),
      node('available', ipmi),
    ]);
    expect(sent(asked)).toEqual([[{ op: 'add', path: `/driver_info/${key}`, value }]]);
  });

  test.each(['verifying', 'cleaning', 'deploying'])('wait until Ironic has ended %s', async (state) => {
    const busy = register(order({ bmc: unverified }), [node(state, known)]);
    await expect(busy).rejects.toThrow(`can't send new BMC settings to node ${NODE} now: it is in state '${state}'`);
  });
});

describe('a node that Ironic does not know, of a host that is being deleted', () => {
  const order = anOrder('redfish-virtualmedia://bmc', { nodeId: NODE, deleting: true });

  test('is made, so that the machine can be wiped and switched off', async () => {
    const { answer, asked } = await register(
      { ...order, preprovisioningNetworkDataName: 'gone' },
      [unknown, unknown, unknown, unknown, created(), port, accepted],
      {},
      { claimedNetworkData: () => Promise.reject(new Error('there is no such Secret')) },
    );
    expect(answer).toMatchObject({ kind: 'registered', created: true, verifying: true });
    expect(asked.map(([request]) => request).slice(-3)).toEqual([
      'POST /v1/nodes',
      'POST /v1/ports',
      `PUT /v1/nodes/${NODE}/states/provision`,
    ]);
  });

  test.each([
    [
      'without credentials',
      order,
      { bmcCredentials: () => Promise.resolve({ kind: 'missing', message: 'x' } as const) },
    ],
    ['at an address that makes no sense', anOrder('nonsense://', { deleting: true }), {}],
  ])('is not made %s', async (_, deleting, hostData) => {
    const { answer } = await register(deleting, [unknown, unknown, unknown], {}, hostData);
    expect(answer).toEqual({ kind: 'unknown' });
  });
});

describe('the network data of the deploy agent', () => {
  const order = anOrder('ipmi://bmc', { preprovisioningNetworkDataName: 'net' });
  const claimed = (source: SecretText): Partial<HostData> => ({ claimedNetworkData: () => Promise.resolve(source) });

  test('is read by the rules of YAML 1.1, with merge keys', async () => {
    const text = 'common: &phy {type: phy, mtu: 9000}\nlinks: [{<<: *phy, id: nic0}]\n';
    const network_data = {
      common: { type: 'phy', mtu: 9000 },
      links: [{ type: 'phy', mtu: 9000, id: 'nic0' }],
    };
    const answer = created() as { readonly status: number; readonly body: object };
    const node = { ...answer, body: { ...answer.body, network_data } };
    const { asked } = await register(order, [node, port, accepted], {}, claimed(aSecretText(text)));
    expect(nodeAskedFor(asked)).toMatchObject({ network_data });
  });

  test.each([
    [aSecretText('interfaces: []\n'), ', key networkData: it holds nmstate, not OpenStack network data'],
    [aSecretText('a: {b\n'), ', key networkData, line 2, column 1: '],
    [aSecretText('', { unreadKeys: ['nmstate'] }), ': it has no network data: '],
  ])('is refused with the name of its Secret, and Ironic gets no request', async (source, problem) => {
    const { answer, asked } = await register(order, [], {}, claimed(source));
    expect(answer).toMatchObject({ kind: 'refused', wrongSecret: { name: 'net', resourceVersion: '8' } });
    const said = 'message' in answer ? answer.message : '';
    expect(said).toContain(`failed to read preprovisioningNetworkData: Secret net${problem}`);
    expect(asked).toEqual([]);
  });

  test('is none in a Secret without keys, and is nothing of ours where images are built', async () => {
    const none = await register(order, [created(), port, accepted], {}, claimed(aSecretText('', { unreadKeys: [] })));
    expect(none.answer).toMatchObject({ kind: 'registered', networkVersion: '8' });
    await open?.close();
    const agentImage = { image: null, required: false };
    const built = claimed(aSecretText('', { unreadKeys: ['nmstate'] }));
    const { answer } = await register({ ...order, agentImage }, [created(), port, accepted], {}, built);
    expect(answer).toMatchObject({ kind: 'registered' });
  });
});
