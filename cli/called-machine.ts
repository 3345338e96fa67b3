import { KINDS } from '../kube/kinds.ts';
import { readMachine } from '../kube/objects/machine.ts';
import type { Named } from '../kube/paths.ts';
import type { Reading } from './reading.ts';

/** The Metal3Machine of that name, or that of the Machine of that name. */
export const metal3MachineCalled = async (reading: Reading, name: Named): Promise<unknown> =>
  (await reading.find(KINDS.metal3Machine, name)) ?? (await behindMachine(reading, name));

async function behindMachine(reading: Reading, name: Named): Promise<unknown> {
  const machine = await reading.find(KINDS.machine, name);
  const infrastructure = machine === undefined ? '' : readMachine(machine).infrastructure;
  if (infrastructure === '') return undefined;
  return reading.find(KINDS.metal3Machine, { namespace: name.namespace, name: infrastructure });
}
