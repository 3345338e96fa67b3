import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Table from 'cli-table3';
import { settingsSchema } from '../agent/settings.ts';
import { bmcAddress, type IronicEndpoints } from '../ironic/ironic-lab.ts';
import { bootMac, type LabMachine } from '../machines/machine.ts';

/** A lab machine as a BareMetalHost needs it. */
export interface ListedMachine {
  readonly name: string;
  readonly bmcAddress: string;
  readonly bootMACAddress: string;
}

/** The machines of the lab in a folder, also while the lab does not run. Throws when there are none. */
export function labMachines(dir: string): readonly ListedMachine[] {
  const file = join(dir, 'agent', 'settings.json');
  if (!existsSync(file)) throw new Error(`no lab with machines was started in ${dir}`);
  const { machines, redfishUrl } = settingsSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  return machines.map((machine) => listed(machine, { redfish: redfishUrl }));
}

export const listed = (machine: LabMachine, endpoints: Pick<IronicEndpoints, 'redfish'>): ListedMachine => ({
  name: machine.name,
  bmcAddress: bmcAddress(machine, endpoints),
  bootMACAddress: bootMac(machine),
});

export function machinesText(machines: readonly ListedMachine[]): string {
  const table = new Table({
    head: ['MACHINE', 'BMC ADDRESS', 'BOOT MAC ADDRESS'],
    style: { head: [], border: [], compact: true },
  });
  table.push(...machines.map(({ name, bmcAddress: bmc, bootMACAddress: mac }) => [name, bmc, mac]));
  return table.toString();
}
