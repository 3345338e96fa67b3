import { mkdtemp } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { IronicLogin } from '../lab/http/password-file.ts';
import type { IronicEndpoints } from '../lab/ironic/ironic-lab.ts';
import { startIronic } from '../lab/ironic/standalone.ts';
import { bootMac, type LabMachine } from '../lab/machines/machine.ts';
import { driveIronic, type IronicDriver } from './ironic-life.ts';

/** Seconds from the start of each phase until the last host has completed it, and the total of requests. */
export interface Floor {
  readonly hosts: number;
  readonly enrollToInspected: number;
  readonly provideAndDeploy: number;
  readonly undeploy: number;
  readonly remove: number;
  readonly requestsPerHost: number;
}

export interface FloorTarget {
  readonly endpoints: Pick<IronicEndpoints, 'ironic' | 'redfish' | 'bmc' | 'deployIso' | 'testImage'>;
  readonly machines: readonly LabMachine[];
  readonly login?: IronicLogin;
}

const inspected = async (
  ironic: IronicDriver,
  { name, uuid, ...machine }: LabMachine,
  target: FloorTarget,
): Promise<void> => {
  const { redfish, bmc, deployIso } = target.endpoints;
  const created = (await ironic.send('POST', 'nodes', {
    name,
    driver: 'redfish',
    boot_interface: 'redfish-virtual-media',
    deploy_interface: 'direct',
    inspect_interface: 'agent',
    driver_info: {
      redfish_address: redfish,
      redfish_system_id: `/redfish/v1/Systems/${uuid}`,
      redfish_username: bmc.username,
      redfish_password: bmc.password,
      redfish_verify_ca: false,
      deploy_iso: deployIso,
    },
    properties: { capabilities: 'boot_mode:uefi' },
  })) as { uuid: string };
  await ironic.send('POST', 'ports', { node_uuid: created.uuid, address: bootMac({ name, uuid, ...machine }) });
  await ironic.send('PUT', `nodes/${name}/states/provision`, { target: 'manage' });
  await ironic.until(name, (node) => node.provision_state === 'manageable');
  await ironic.send('PUT', `nodes/${name}/states/provision`, { target: 'inspect' });
  await ironic.until(name, (node) => node.provision_state === 'manageable' && node.target_provision_state === null);
};

const deployed = async (ironic: IronicDriver, { name }: LabMachine, target: FloorTarget): Promise<void> => {
  const { testImage } = target.endpoints;
  await ironic.send('PUT', `nodes/${name}/states/provision`, { target: 'provide' });
  await ironic.until(name, (node) => node.provision_state === 'available');
  await ironic.send('PATCH', `nodes/${name}`, [
    {
      op: 'add',
      path: '/instance_info',
      value: {
        image_source: testImage.url,
        image_os_hash_algo: testImage.checksumType,
        image_os_hash_value: testImage.checksum,
        image_disk_format: 'raw',
      },
    },
  ]);
  await ironic.send('PUT', `nodes/${name}/states/provision`, {
    target: 'active',
    configdrive: { meta_data: { name }, user_data: '#cloud-config\n', network_data: { links: [] } },
  });
  await ironic.until(name, (node) => node.provision_state === 'active');
};

const undeployed = async (ironic: IronicDriver, { name }: LabMachine): Promise<void> => {
  await ironic.send('PUT', `nodes/${name}/states/provision`, { target: 'deleted' });
  await ironic.until(name, (node) => node.provision_state === 'available');
};

const removed = async (ironic: IronicDriver, { name }: LabMachine): Promise<void> => {
  await ironic.send('DELETE', `nodes/${name}`);
};

/** Runs the complete life of all machines at once, with a script that calls Ironic directly. */
export const runFloor = async (target: FloorTarget): Promise<Floor> => {
  const ironic = driveIronic(target.endpoints.ironic, target.login);
  const { machines } = target;
  const phase = async (live: (machine: LabMachine) => Promise<void>): Promise<number> => {
    const started = performance.now();
    await Promise.all(machines.map(live));
    return Number(((performance.now() - started) / 1000).toFixed(2));
  };
  try {
    const enrollToInspected = await phase((machine) => inspected(ironic, machine, target));
    const provideAndDeploy = await phase((machine) => deployed(ironic, machine, target));
    const undeploy = await phase((machine) => undeployed(ironic, machine));
    const remove = await phase((machine) => removed(ironic, machine));
    const requestsPerHost = Number((ironic.requests / machines.length).toFixed(1));
    return { hosts: machines.length, enrollToInspected, provideAndDeploy, undeploy, remove, requestsPerHost };
  } finally {
    await ironic.close();
  }
};

const main = async (): Promise<void> => {
  const { values } = parseArgs({ options: { hosts: { type: 'string', default: '20' }, keep: { type: 'string' } } });
  const load = loadavg()[0];
  const lab = await startIronic({
    dir: values.keep ?? (await mkdtemp(join(tmpdir(), 'temper-floor-'))),
    auth: 'noauth',
    machines: Number(values.hosts),
    proxy: false,
    ephemeral: values.keep === undefined,
  });
  try {
    const floor = await runFloor(lab);
    process.stdout.write(`${JSON.stringify({ ...floor, cpus: cpus().length, loadBefore: load }, null, 2)}\n`);
  } finally {
    await lab.stop();
  }
};

if (import.meta.main) await main();
