import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetch } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { driveIronic, type IronicDriver, type ListedNode } from '../../bench/ironic-life.ts';
import type { MachineView } from '../../lab/agent/simulated-machine.ts';
import type { IronicLogin } from '../../lab/http/password-file.ts';
import { type StandaloneIronic, startIronic } from '../../lab/ironic/standalone.ts';
import type { Failure } from '../../lab/machines/failure.ts';
import { bootMac, type LabMachine } from '../../lab/machines/machine.ts';
import type { RecordingSummary } from '../../lab/proxy/recording.ts';

interface NodeDetail {
  readonly uuid: string;
  readonly provision_state: string;
  readonly last_error: string | null;
  readonly maintenance: boolean;
  readonly power_state: string | null;
}

let lab: StandaloneIronic;
let ironic: IronicDriver;
let steady: LabMachine;
let unruly: LabMachine;

const readLogin = async (root: string | undefined): Promise<IronicLogin> => {
  const read = (name: string): Promise<string> => readFile(join(root ?? '', 'ironic', name), 'utf8');
  return { username: await read('username'), password: await read('password') };
};

beforeAll(async () => {
  lab = await startIronic({
    dir: await mkdtemp(join(tmpdir(), 'temper-ironic-')),
    auth: 'http_basic',
    machines: 2,
    proxy: true,
    ephemeral: true,
    latency: { bootMs: 100, stepMs: 50 },
  });
  ironic = driveIronic(lab.endpoints.ironic, await readLogin(lab.endpoints.authRootDir));
  const [first, second] = lab.machines;
  if (!first || !second) throw new Error('the lab has fewer than two machines');
  [steady, unruly] = [first, second];
});

afterAll(async () => {
  await ironic?.close();
  await lab?.stop();
});

const is =
  (state: string) =>
  (node: ListedNode): boolean =>
    node.provision_state === state;
const rests =
  (state: string) =>
  (node: ListedNode): boolean =>
    node.provision_state === state && node.target_provision_state === null;

const enroll = async ({ name, uuid, ...rest }: LabMachine, password = lab.endpoints.bmc.password): Promise<void> => {
  const { redfish, bmc, deployIso } = lab.endpoints;
  const { uuid: node } = (await ironic.send('POST', 'nodes', {
    name,
    driver: 'redfish',
    boot_interface: 'redfish-virtual-media',
    driver_info: {
      redfish_address: redfish,
      redfish_system_id: `/redfish/v1/Systems/${uuid}`,
      redfish_username: bmc.username,
      redfish_password: password,
      redfish_verify_ca: false,
      deploy_iso: deployIso,
    },
  })) as NodeDetail;
  await ironic.send('POST', 'ports', { node_uuid: node, address: bootMac({ name, uuid, ...rest }) });
};

const provision = (name: string, target: string, more: object = {}): Promise<unknown> =>
  ironic.send('PUT', `nodes/${name}/states/provision`, { target, ...more });

const makeAvailable = async (name: string): Promise<void> => {
  await provision(name, 'manage');
  await ironic.until(name, is('manageable'));
  await provision(name, 'provide');
  await ironic.until(name, is('available'));
};

const useImage = (name: string, checksum: object): Promise<unknown> =>
  ironic.send('PATCH', `nodes/${name}`, [
    {
      op: 'add',
      path: '/instance_info',
      value: { image_source: lab.endpoints.testImage.url, image_disk_format: 'raw', ...checksum },
    },
  ]);

const detail = async (name: string): Promise<NodeDetail> => (await ironic.send('GET', `nodes/${name}`)) as NodeDetail;

const historyErrors = async (name: string): Promise<string> => {
  const { history } = (await ironic.send('GET', `nodes/${name}/history?detail=true`)) as {
    history: { severity: string; event: string }[];
  };
  return history
    .filter(({ severity }) => severity === 'ERROR')
    .map(({ event }) => event)
    .join('\n');
};

const onMachine = async ({ name }: LabMachine): Promise<MachineView> =>
  (await (await fetch(`${lab.endpoints.agentControl}/machines/${name}`)).json()) as MachineView;

const fail = async ({ name }: LabMachine, failures: readonly Failure[]): Promise<void> => {
  const answer = await fetch(`${lab.endpoints.agentControl}/machines/${name}/failures`, {
    method: 'PUT',
    body: JSON.stringify(failures),
  });
  expect(answer.status).toBe(200);
};

describe('a machine of the lab', () => {
  test('shows its inventory to inspection', async () => {
    await enroll(steady);
    await provision(steady.name, 'manage');
    await ironic.until(steady.name, is('manageable'));
    await provision(steady.name, 'inspect');
    await ironic.until(steady.name, rests('manageable'));
    const { inventory } = (await ironic.send('GET', `nodes/${steady.name}/inventory`)) as {
      inventory: { cpu: { count: number }; memory: { physical_mb: number }; disks: { name: string; size: number }[] };
    };
    expect(inventory.cpu.count).toBe(steady.inventory.cpu.count);
    expect(inventory.memory.physical_mb).toBe(steady.inventory.ramMiB);
    expect(inventory.disks.map(({ name, size }) => ({ name, bytes: size }))).toEqual(
      steady.inventory.disks.map(({ name, bytes }) => ({ name, bytes })),
    );
  });

  test('keeps the image it verified, and the config drive, on its disk', async () => {
    await provision(steady.name, 'provide');
    await ironic.until(steady.name, is('available'));
    const { checksum } = lab.endpoints.testImage;
    await useImage(steady.name, { image_os_hash_algo: 'sha256', image_os_hash_value: checksum });
    const configdrive = {
      meta_data: { 'local-hostname': 'web-1' },
      user_data: '#cloud-config\nusers: []\n',
      network_data: { links: [{ id: 'eth0', type: 'phy' }], networks: [], services: [] },
    };
    await provision(steady.name, 'active', { configdrive });
    await ironic.until(steady.name, is('active'));
    const { disk, running } = await onMachine(steady);
    expect(disk.image).toMatchObject({ digest: checksum, algorithm: 'sha256', bytes: 1024 ** 2 });
    expect(disk.configDrive?.metaData).toMatchObject(configdrive.meta_data);
    expect(disk.configDrive?.userData).toBe(configdrive.user_data);
    expect(disk.configDrive?.networkData).toEqual(configdrive.network_data);
    expect(running).toBe('disk');
  });

  test('is erased when it is undeployed', async () => {
    const { writes, erasures } = (await onMachine(steady)).disk;
    await provision(steady.name, 'deleted');
    await ironic.until(steady.name, is('available'));
    expect((await onMachine(steady)).disk).toEqual({
      image: null,
      configDrive: null,
      writes,
      erasures: erasures + 1,
      volumes: [],
    });
  });

  test('finishes a deployment during which the agent server was killed', async () => {
    const { checksum } = lab.endpoints.testImage;
    await fail(steady, [{ kind: 'slow-step', step: 'write_image', milliseconds: 3000, times: 1 }]);
    await useImage(steady.name, { image_os_hash_algo: 'sha256', image_os_hash_value: checksum });
    await provision(steady.name, 'active');
    await expect
      .poll(async () => (await onMachine(steady)).commands.at(-1), { timeout: 60_000 })
      .toMatch(/^execute_deploy_step RUNNING/);
    // Ironic has got the answer to this command: without it, Ironic rightly fails the step.
    await ironic.until(steady.name, (node) => ['wait call-back', 'active'].includes(node.provision_state ?? ''));
    await lab.kill('agent', 'SIGKILL');
    await lab.start('agent');
    await ironic.until(steady.name, is('active'));
    expect((await onMachine(steady)).disk.image?.digest).toBe(checksum);
  });

  test('can be deleted', async () => {
    await provision(steady.name, 'deleted');
    await ironic.until(steady.name, is('available'));
    await ironic.send('DELETE', `nodes/${steady.name}`);
    await expect(detail(steady.name)).rejects.toThrow(/404/);
  });
});

describe('a machine that misbehaves', () => {
  test('refuses a wrong BMC password', async () => {
    await enroll(unruly, 'wrong');
    await provision(unruly.name, 'manage');
    await ironic.until(unruly.name, (node) => node.provision_state === 'enroll' && node.last_error !== null);
    expect((await detail(unruly.name)).last_error).toMatch(/401.*Incorrect username or password/s);
    await ironic.send('PATCH', `nodes/${unruly.name}`, [
      { op: 'add', path: '/driver_info/redfish_password', value: lab.endpoints.bmc.password },
    ]);
    await makeAvailable(unruly.name);
  });

  test('fails a deployment whose image does not have the checksum it should', async () => {
    await useImage(unruly.name, { image_os_hash_algo: 'sha256', image_os_hash_value: 'a'.repeat(64) });
    await provision(unruly.name, 'active');
    await ironic.until(unruly.name, is('deploy failed'));
    expect(await historyErrors(unruly.name)).toMatch(/Image failed to verify against checksum/);
    expect((await onMachine(unruly)).disk.image).toBeNull();
  });

  test('succeeds at the next attempt, with the checksum in a file', async () => {
    await useImage(unruly.name, { image_checksum: `${lab.endpoints.testImage.url}.sha256` });
    await provision(unruly.name, 'active');
    await ironic.until(unruly.name, is('active'));
    expect((await onMachine(unruly)).disk.image?.digest).toBe(lab.endpoints.testImage.checksum);
    await provision(unruly.name, 'deleted');
    await ironic.until(unruly.name, is('available'));
  });

  test('tells in the node’s history why a deploy step failed, as often as asked for', async () => {
    await useImage(unruly.name, { image_checksum: lab.endpoints.testImage.checksum });
    await fail(unruly, [{ kind: 'deploy-step', step: 'write_image', message: 'the disk is on fire', times: 1 }]);
    await provision(unruly.name, 'active');
    await ironic.until(unruly.name, is('deploy failed'));
    expect(await historyErrors(unruly.name)).toContain('the disk is on fire');
    expect((await onMachine(unruly)).failures).toEqual([]);
    await provision(unruly.name, 'deleted');
    await ironic.until(unruly.name, is('available'));
  });

  test('fails inspection and cleaning with the given words', async () => {
    await provision(unruly.name, 'manage');
    await ironic.until(unruly.name, is('manageable'));
    await fail(unruly, [
      { kind: 'inspection', message: 'no disks found', times: 1 },
      { kind: 'clean-step', message: 'the brush is lost', times: 1 },
    ]);
    await provision(unruly.name, 'inspect');
    await ironic.until(unruly.name, is('inspect failed'));
    expect(await historyErrors(unruly.name)).toContain('no disks found');
    await provision(unruly.name, 'manage');
    await ironic.until(unruly.name, is('manageable'));
    await provision(unruly.name, 'provide');
    await ironic.until(unruly.name, is('clean failed'));
    expect(await detail(unruly.name)).toMatchObject({
      maintenance: true,
      last_error: expect.stringContaining('the brush is lost') as string,
    });
  });
});

describe('a fake-hardware node', () => {
  test('goes from enroll to active with nothing behind it', async () => {
    const name = 'fake-0000';
    const fake = ['bios', 'boot', 'deploy', 'firmware', 'inspect', 'management', 'power', 'raid', 'vendor'];
    await ironic.send('POST', 'nodes', {
      name,
      driver: 'fake-hardware',
      ...Object.fromEntries(fake.map((kind) => [`${kind}_interface`, 'fake'])),
    });
    await makeAvailable(name);
    await provision(name, 'active');
    await ironic.until(name, is('active'));
    await provision(name, 'deleted');
    await ironic.until(name, is('available'));
    await ironic.send('DELETE', `nodes/${name}`);
    await expect(detail(name)).rejects.toThrow(/404/);
  });
});

describe('the proxy in front of Ironic', () => {
  const control = async (method: string, path: string, body?: object): Promise<unknown> => {
    const answer = await fetch(`${lab.endpoints.proxyControl}${path}`, {
      method,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return answer.status === 204 ? undefined : answer.json();
  };

  test('counts the deployments it saw by node, and every list request', async () => {
    const { provisions, kinds } = (await control('GET', '/_recorded/summary')) as RecordingSummary;
    expect(provisions['active']).toEqual({ [steady.name]: 2, [unruly.name]: 3, 'fake-0000': 1 });
    expect(kinds['list nodes']).toBeGreaterThan(10);
  });

  test('records no body but the target', async () => {
    const recorded = JSON.stringify(await control('GET', '/_recorded'));
    expect(recorded).toContain('"target":"active"');
    expect(recorded).not.toContain('cloud-config');
    expect(recorded).not.toContain(lab.endpoints.bmc.password);
  });

  test('injects a fault as often as told, and then lets requests through', async () => {
    await control('DELETE', '/_recorded');
    await control('POST', '/_faults', { method: 'GET', path: 'nodes/unknown', status: 503, times: 1 });
    await expect(detail('unknown')).rejects.toThrow(/503.*injected/);
    await expect(detail('unknown')).rejects.toThrow(/404/);
    const { statuses } = (await control('GET', '/_recorded/summary')) as RecordingSummary;
    expect(statuses).toEqual({ '503': 1, '404': 1 });
  });

  test('drops a connection after Ironic has answered', async () => {
    await control('POST', '/_faults', { method: 'GET', path: 'drivers$', drop: 'after' });
    await expect(ironic.send('GET', 'drivers')).rejects.toThrow(/fetch failed/);
    await expect(ironic.send('GET', 'drivers')).resolves.toBeDefined();
  });

  test('asks for the login of Ironic', async () => {
    expect((await fetch(`${lab.endpoints.ironic}nodes`)).status).toBe(401);
  });
});
