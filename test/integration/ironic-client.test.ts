import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NodeOrder, ProvisionOrder } from '../../domain/ironic/orders.ts';
import type { LabMachine } from '../../lab/machines/machine.ts';
import { aPermit } from '../builders/permits.ts';
import { atRest, available, type Bench, hostOn, openBench, registered, registration } from './ironic-client/harness.ts';
import { tlsProxy } from './ironic-client/tls-proxy.ts';

let bench: Bench;
let machines: readonly LabMachine[];

beforeAll(async () => {
  bench = await openBench(3);
  machines = bench.lab.machines;
});

afterAll(() => bench?.close());

const image = (): NonNullable<ProvisionOrder['image']> => bench.lab.endpoints.testImage;
const toDeploy = (order: NodeOrder, more: Partial<ProvisionOrder> = {}): ProvisionOrder => ({
  ...order,
  image: image(),
  userData: { name: 'user-data' },
  retry: false,
  ...more,
});

describe('a machine', () => {
  test('lives from registration to deletion on 16 requests', async () => {
    await bench.client.version();
    await bench.forget();
    const order = await registered(bench, hostOn(bench, machines[0], { automatedCleaningMode: 'metadata' }));
    const { host, nodeId } = order;
    const ref = { host, nodeId };
    const { first } = bench;

    expect(await first.startInspection({ ...order, refresh: false, retry: false })).toMatchObject({ kind: 'started' });
    expect(await atRest(bench, order)).toMatchObject({ state: 'manageable', lastError: null });
    expect(await first.saveInventory(ref)).toEqual({ architecture: 'x86_64', hostname: host.name });
    expect(bench.store.hardware.get(host.name)).toMatchObject({ ramMebibytes: 65_536, cpu: { arch: 'x86_64' } });

    expect(await first.provideNode({ ...ref, retry: false })).toMatchObject({ kind: 'started' });
    expect(await atRest(bench, order)).toMatchObject({ state: 'available' });

    expect(await first.deployNode(toDeploy(order, { metaData: { name: 'm' } }))).toMatchObject({ kind: 'started' });
    expect(await atRest(bench, order)).toMatchObject({ state: 'active', poweredOn: true });
    expect(await bench.machine(host.name)).toMatchObject({
      disk: {
        image: { digest: image().checksum },
        configDrive: {
          userData: expect.stringContaining('canary') as string,
          metaData: { 'metal3-name': host.name, rack: 'r7' },
        },
      },
    });

    expect(await first.undeployNode({ ...order, retry: false })).toMatchObject({ kind: 'started' });
    expect(await atRest(bench, order)).toMatchObject({ state: 'available', poweredOn: false });
    expect(await first.deleteNode({ ...ref, onlyIfOff: true })).toEqual({ kind: 'lost' });
    expect(await bench.client.getNode(nodeId)).toBeUndefined();
    // A request that Ironic refuses because it is busy with the node is sent again, after another look at the node.
    const all = await bench.requests();
    const refused = all.filter(({ status }) => status === 409).length;
    const heard = all.length - refused;
    const said = all.map(({ method, path, status }) => `${method} ${path}: ${status}`).join('\n');
    expect(heard, said).toBeLessThanOrEqual(16 + 1 + refused);
  });

  test('whose deployment fails says why, and deploys again only for a retry', async () => {
    const machine = machines[1];
    if (machine === undefined) throw new Error('too few machines');
    await bench.misbehave(machine.name, [
      { kind: 'deploy-step', step: 'write_image', message: 'the disk is full of bees', times: 1 },
    ]);
    const order = await available(bench, hostOn(bench, machine));
    const askedAt = Date.now();
    await bench.forget();
    await bench.attempt(1, askedAt).deployNode(toDeploy(order));
    const failed = await atRest(bench, order);
    expect(failed.state).toBe('deploy failed');
    const { message } = await bench.first.explainFailure({ host: order.host, nodeId: order.nodeId });
    expect(message).toContain('the disk is full of bees');

    const repeated = await bench.attempt(2, askedAt).deployNode(toDeploy(order, { retry: true }));
    expect(repeated).toMatchObject({ kind: 'failed', message });
    expect(await bench.first.deployNode(toDeploy(order))).toMatchObject({ kind: 'failed', message });
    expect(await bench.accepted(order.nodeId, 'active')).toBe(1);

    expect(await bench.first.deployNode(toDeploy(order, { retry: true }))).toMatchObject({ kind: 'started' });
    expect(await atRest(bench, order)).toMatchObject({ state: 'active' });
    expect(await bench.accepted(order.nodeId, 'active')).toBe(2);

    // Ironic loses everything: the node is created again and adopted.
    await bench.client.setMaintenance(order.nodeId, 'a lost database', { permit: await aPermit() });
    await bench.client.deleteNode(order.nodeId, { permit: await aPermit() });
    expect(await bench.first.provideNode({ ...order, retry: false })).toEqual({ kind: 'lost' });
    const again = await registered(bench, order);
    expect(again.nodeId).not.toBe(order.nodeId);
    await bench.first.adoptNode({ ...again, retry: false });
    expect(await atRest(bench, again)).toMatchObject({ state: 'active', poweredOn: true, lastError: null });

    const off = { ...again, on: false, mode: 'soft', force: false } as const;
    expect(await bench.first.setPower(off)).toMatchObject({ kind: 'started', node: { powerPending: true } });
    expect(await bench.first.waitForNode({ ...again, until: 'off' })).toMatchObject({
      poweredOn: false,
      powerPending: false,
    });
    expect(await bench.first.setPower(off)).toMatchObject({ kind: 'done' });
    expect(await bench.first.deleteNode(again)).toEqual({ kind: 'lost' });
  });

  test('whose BMC refuses the password is reported, and taken once the password is right', async () => {
    const order = hostOn(bench, machines[2]);
    const { password } = bench.store;
    bench.store.password = 'canary-wrong';
    const refused = await bench.first.registerNode(registration(order));
    bench.store.password = password;
    expect(refused).toMatchObject({ kind: 'registered', created: true, verifying: true });
    expect(JSON.stringify(refused)).not.toContain('canary-wrong');
    const known = { ...order, nodeId: refused.kind === 'registered' ? refused.node.id : '' };
    const rejected = await atRest(bench, known);
    expect(rejected).toMatchObject({ state: 'enroll', lastError: expect.stringContaining('401') as string });

    expect(await bench.first.registerNode(registration(known))).toMatchObject({ node: { state: 'enroll' } });
    await bench.first.registerNode(registration(known, { credentialsChanged: true }));
    expect(await atRest(bench, known)).toMatchObject({ state: 'manageable', lastError: null });

    // The same machine under another name is an error, and leaves nothing behind.
    const twin = { ...order, host: { ...order.host, name: 'twin' } };
    expect(await bench.first.registerNode(registration(twin))).toMatchObject({
      kind: 'refused',
      message: `MAC address ${order.bootMACAddress} conflicts with existing node metal~${order.host.name}`,
    });
    expect(await bench.client.getNode('metal~twin')).toBeUndefined();

    // An inspection whose agent never calls is aborted when its node is deleted.
    await bench.misbehave(order.host.name, [{ kind: 'silent-agent' }]);
    await bench.first.startInspection({ ...known, refresh: true, retry: false });
    const inState = async (): Promise<string | undefined> =>
      (await bench.client.getNode(known.nodeId))?.provision_state;
    await expect.poll(inState, { timeout: 30_000, interval: 200 }).toBe('inspect wait');
    expect(await bench.first.deleteNode(known)).toMatchObject({ kind: 'started' });
    expect(await atRest(bench, known)).toMatchObject({ state: 'inspect failed' });
    expect(await bench.first.deleteNode(known)).toEqual({ kind: 'lost' });
  });
});

describe('the settings of a BMC', () => {
  const access = async ({ nodeId }: NodeOrder): Promise<Readonly<Record<string, unknown>>> =>
    (await bench.client.getNode(nodeId))?.driver_info ?? {};
  const withBmc = (order: NodeOrder, change: Partial<NodeOrder['bmc']>): NodeOrder => ({
    ...order,
    bmc: { ...order.bmc, ...change },
  });

  test('whose address was wrong is reached after the correction, with the same Secret', async () => {
    const order = hostOn(bench, machines[2]);
    const { address } = order.bmc;
    const [root = '', path = ''] = address.split(/(?=\/redfish\/v1)/);
    const wrong = await registered(bench, withBmc(order, { address: `${root}/redfish/v1/Systems/1` }));
    expect(await atRest(bench, wrong)).toMatchObject({ state: 'enroll', lastError: expect.any(String) as string });

    const right = withBmc(wrong, { address });
    expect(await bench.first.registerNode(registration(right))).toMatchObject({ verifying: true });
    expect(await atRest(bench, right)).toMatchObject({ state: 'manageable', lastError: null });
    expect(await access(right)).toMatchObject({ redfish_system_id: path });
    expect(await bench.first.deleteNode(right)).toEqual({ kind: 'lost' });
  });

  test('follow the spec while an image runs, and what no spec decides stays', async () => {
    const order = withBmc(hostOn(bench, machines[2]), { disableCertificateVerification: false });
    const known = await registered(bench, order);
    const basic = { op: 'add', path: '/driver_info/redfish_auth_type', value: 'basic' } as const;
    await bench.client.patchNode(known.nodeId, [basic], { permit: await aPermit() });
    await bench.first.adoptNode({ ...known, retry: false });
    expect(await atRest(bench, known)).toMatchObject({ state: 'active' });
    const before = await access(known);
    expect(before).not.toHaveProperty('redfish_verify_ca');

    const unverified = withBmc(known, { disableCertificateVerification: true });
    await bench.first.registerNode(registration(unverified));
    expect(await access(known)).toEqual({ ...before, redfish_verify_ca: false });
    await bench.first.registerNode(registration(known));
    expect(await access(known)).toEqual(before);
    await bench.forget();
    await bench.first.registerNode(registration(known));
    expect((await bench.requests()).filter(({ method }) => method !== 'GET')).toEqual([]);
    expect(await bench.first.deleteNode(known)).toEqual({ kind: 'lost' });
  });

  test('reach a BMC whose certificate is unknown once the spec says not to verify it', async () => {
    const order = hostOn(bench, machines[2]);
    await using proxy = await tlsProxy(Number(new URL(bench.lab.endpoints.redfish).port));
    const address = order.bmc.address.replace(/^[^:]+:\/\/[^/]+/, `redfish-virtualmedia://127.0.0.1:${proxy.port}`);
    const verified = await registered(bench, withBmc(order, { address, disableCertificateVerification: false }));
    expect(await atRest(bench, verified)).toMatchObject({
      state: 'enroll',
      lastError: expect.stringContaining('CERTIFICATE_VERIFY_FAILED') as string,
    });

    const unverified = withBmc(verified, { disableCertificateVerification: true });
    expect(await bench.first.registerNode(registration(unverified))).toMatchObject({ verifying: true });
    expect(await atRest(bench, unverified)).toMatchObject({ state: 'manageable', lastError: null });
    expect(await access(unverified)).toMatchObject({ redfish_verify_ca: false });
    expect(await bench.first.deleteNode(unverified)).toEqual({ kind: 'lost' });
  });
});

describe('a machine without an image', () => {
  test('boots a live ISO, and after that an image from its disk', async () => {
    const order = await available(bench, hostOn(bench, machines[1]));
    const live = { url: bench.lab.endpoints.deployIso, format: 'live-iso' } as const;
    expect(await bench.first.deployNode(toDeploy(order, { image: live }))).toMatchObject({ kind: 'started' });
    expect(await atRest(bench, order)).toMatchObject({ state: 'active', lastError: null });
    expect(await bench.first.deployNode(toDeploy(order))).toMatchObject({
      kind: 'failed',
      message: `node ${order.nodeId} is in state 'active' with another image, deploy step or data; it has to be deprovisioned first`,
    });
    await bench.first.undeployNode({ ...order, retry: false });
    expect(await atRest(bench, order)).toMatchObject({ state: 'available' });
    expect(await bench.first.deployNode(toDeploy(order))).toMatchObject({ kind: 'started' });
    expect(await atRest(bench, order)).toMatchObject({ state: 'active', lastError: null });
    expect(await bench.first.deleteNode(order)).toEqual({ kind: 'lost' });
  });
});

describe('a machine in trouble', () => {
  test('whose cleaning fails says why, and is cleaned again for a retry', async () => {
    const machine = machines[0];
    if (machine === undefined) throw new Error('too few machines');
    await bench.misbehave(machine.name, [{ kind: 'clean-step', message: 'the disk is frozen', times: 1 }]);
    // A node that is created again after an inspection gets all its ports at once.
    const macs = machine.inventory.nics.map(({ mac }) => mac);
    bench.store.hardware.set(machine.name, { nics: macs.map((mac) => ({ mac })) });
    const order = await registered(bench, hostOn(bench, machine, { automatedCleaningMode: 'metadata' }));
    expect((await bench.client.portsOfNode(order.nodeId)).map(({ address }) => address).toSorted()).toEqual(macs);
    await bench.first.provideNode({ ...order, retry: false });
    expect(await atRest(bench, order)).toMatchObject({ state: 'clean failed', fault: 'clean failure' });
    expect(await bench.first.undeployNode({ ...order, retry: false })).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('the disk is frozen') as string,
    });
    expect(await bench.first.undeployNode({ ...order, retry: true })).toMatchObject({ kind: 'started' });
    expect(await atRest(bench, order)).toMatchObject({ state: 'available', maintenance: false, fault: null });

    // Without an image of the agent Ironic refuses to deploy, and gives the reason on request.
    await bench.client.patchNode(order.nodeId, [{ op: 'remove', path: '/driver_info/deploy_iso' }], {
      permit: await aPermit(),
    });
    expect(await bench.first.deployNode(toDeploy(order))).toMatchObject({
      kind: 'failed',
      message: expect.stringMatching(/^host validation error: .*Missing are: .*deploy_kernel/) as string,
    });
    expect(await bench.first.deleteNode(order)).toEqual({ kind: 'lost' });
  });
});

describe('a lost answer', () => {
  test('to a registration does not make a second node', async () => {
    const order = hostOn(bench, undefined);
    await bench.fault({ method: 'POST', path: '/v1/nodes', drop: 'after' });
    await expect(bench.first.registerNode(registration(order))).rejects.toMatchObject({ type: 'IronicUnreachable' });
    expect(await bench.attempt(2).registerNode(registration(order))).toMatchObject({
      kind: 'registered',
      created: true,
    });
    const named = (await bench.client.listNodes()).filter(({ name }) => name === `metal~${order.host.name}`);
    expect(named).toHaveLength(1);
  });

  test('to a deployment does not make a second one', async () => {
    const order = await available(bench, hostOn(bench, undefined));
    await bench.fault({ method: 'PUT', path: `${order.nodeId}/states/provision`, drop: 'after' });
    await expect(bench.first.deployNode(toDeploy(order))).rejects.toMatchObject({ type: 'IronicUnreachable' });
    const again = await bench.attempt(2).deployNode(toDeploy(order));
    expect(['started', 'done']).toContain(again.kind);
    expect(await atRest(bench, order)).toMatchObject({ state: 'active' });
    expect(await bench.attempt(3).deployNode(toDeploy(order))).toMatchObject({ kind: 'done' });
    expect(await bench.accepted(order.nodeId, 'active')).toBe(1);
  });

  test('to a request for cleaning changes nothing but the wait', async () => {
    const order = await registered(bench, hostOn(bench, undefined));
    const provide = { ...order, retry: false };
    await bench.fault({ method: 'PUT', path: `${order.nodeId}/states/provision`, drop: 'after' });
    await expect(bench.first.provideNode(provide)).rejects.toMatchObject({ type: 'IronicUnreachable' });
    const again = await bench.attempt(2).provideNode(provide);
    expect(['started', 'done']).toContain(again.kind);
    expect(await atRest(bench, order)).toMatchObject({ state: 'available' });
    expect(await bench.accepted(order.nodeId, 'provide')).toBe(1);
  });

  test('to a deletion is found out by asking again', async () => {
    const order = await registered(bench, hostOn(bench, undefined));
    await bench.fault({ method: 'DELETE', path: order.nodeId, drop: 'after' });
    await expect(bench.first.deleteNode(order)).rejects.toMatchObject({ type: 'IronicUnreachable' });
    expect(await bench.attempt(2).deleteNode(order)).toEqual({ kind: 'lost' });
  });
});

describe('two calls for one order at the same time', () => {
  test('make one deployment', async () => {
    const order = await available(bench, hostOn(bench, undefined));
    const answers = await Promise.all([1, 2].map((attempt) => bench.attempt(attempt).deployNode(toDeploy(order))));
    expect(answers.map(({ kind }) => kind).every((kind) => kind === 'started' || kind === 'done')).toBe(true);
    expect(await atRest(bench, order)).toMatchObject({ state: 'active' });
    expect(await bench.accepted(order.nodeId, 'active')).toBe(1);
  });
});

describe('a node without a machine', () => {
  test('is inspected, finds little, and is deployed and deleted in use', async () => {
    const order = await registered(bench, hostOn(bench, undefined));
    await bench.first.startInspection({ ...order, refresh: false, retry: false });
    expect(await atRest(bench, order)).toMatchObject({ state: 'manageable' });
    expect(await bench.first.startInspection({ ...order, refresh: false, retry: false })).toMatchObject({
      kind: 'done',
    });
    expect(await bench.first.saveInventory(order)).toEqual({ architecture: 'x86_64', hostname: order.host.name });
    await bench.first.provideNode({ ...order, retry: false });
    await atRest(bench, order);
    await bench.first.deployNode(toDeploy(order));
    expect(await atRest(bench, order)).toMatchObject({ state: 'active' });
    expect(await bench.first.deleteNode(order)).toEqual({ kind: 'lost' });
  });

  test('that a person put into maintenance is taken out of it for the next step', async () => {
    const order = await registered(bench, hostOn(bench, undefined));
    await bench.client.setMaintenance(order.nodeId, 'looking at it', { permit: await aPermit() });
    expect(await atRest(bench, order)).toMatchObject({ maintenance: true });
    await bench.first.provideNode({ ...order, retry: false });
    expect(await atRest(bench, order)).toMatchObject({ state: 'available', maintenance: false });
  });

  test('that still belongs to an instance is released before it is deleted', async () => {
    const order = await available(bench, hostOn(bench, undefined));
    await bench.client.patchNode(order.nodeId, [{ op: 'add', path: '/instance_uuid', value: order.host.uid }], {
      permit: await aPermit(),
    });
    expect(await bench.first.deleteNode(order)).toEqual({ kind: 'lost' });
  });

  test('that was prepared for a deployment that never began is emptied again', async () => {
    const order = await available(bench, hostOn(bench, machines[2]));
    const { nodeId, host } = order;
    const prepared = [
      { op: 'add', path: '/instance_uuid', value: host.uid },
      { op: 'add', path: '/instance_info/image_source', value: image().url },
      { op: 'add', path: '/instance_info/image_pull_secret', value: 'canary' },
    ] as const;
    await bench.client.patchNode(nodeId, prepared, { permit: await aPermit() });
    expect(await bench.first.undeployNode({ ...order, retry: false })).toMatchObject({ kind: 'done' });
    expect(await bench.client.getNode(nodeId)).toMatchObject({ instance_uuid: null, instance_info: {} });
    expect(await bench.first.deleteNode(order)).toEqual({ kind: 'lost' });
  });

  test('is reconfigured where its host changed', async () => {
    const order = await registered(bench, hostOn(bench, undefined));
    await bench.forget();
    const changed = { ...order, bootMode: 'legacy', bootMACAddress: '52:54:00:ff:00:01' } as const;
    expect(await bench.first.registerNode(registration(changed))).toMatchObject({ created: false, verifying: false });
    const node = await bench.client.getNode(order.nodeId);
    expect(node?.properties).toMatchObject({ capabilities: 'boot_mode:bios' });
    expect(await bench.client.portsOfNode(order.nodeId)).toMatchObject([{ address: '52:54:00:ff:00:01' }]);
    await bench.forget();
    await bench.first.registerNode(registration(changed));
    expect((await bench.requests()).filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  test('whose host is being deleted is looked for and not made', async () => {
    const order = hostOn(bench, undefined, { bmc: { ...hostOn(bench, undefined).bmc, credentialsName: 'missing' } });
    expect(await bench.first.registerNode(registration(order))).toMatchObject({ kind: 'credentials missing' });
    expect(await bench.first.registerNode(registration(order, { deleting: true }))).toEqual({ kind: 'unknown' });
    expect(await bench.first.deleteNode({ host: order.host, nodeId: '' })).toEqual({ kind: 'lost' });
  });
});

describe('a deployed node', () => {
  test('is neither erased, switched nor deleted for a host of another namespace that has its id', async () => {
    const order = await available(bench, hostOn(bench, undefined));
    await bench.first.deployNode(toDeploy(order));
    // Ironic locks a node for a moment when it looks at its power.
    const unlocked = async () => ({ ...(await atRest(bench, order)), locked: false });
    const before = await unlocked();
    expect(before).toMatchObject({ state: 'active' });
    await bench.forget();

    const foreign = { ...order, host: { ...order.host, namespace: 'tenant-b', uid: 'uid-b' } };
    expect(await bench.first.undeployNode({ ...foreign, retry: false })).toEqual({ kind: 'lost' });
    expect(await bench.first.setPower({ ...foreign, on: false, mode: 'hard', force: true })).toEqual({ kind: 'lost' });
    expect(await bench.first.deleteNode(foreign)).toEqual({ kind: 'lost' });

    expect((await bench.requests()).filter(({ method }) => method !== 'GET')).toEqual([]);
    expect(await unlocked()).toEqual(before);
  });
});
