import type { Lab } from '../lab.ts';
import type { Failure } from '../machines/failure.ts';
import { machineOfHost } from './machine-of-host.ts';

/** Makes the system on a host of the example cluster hang until the machine is powered off. */
export async function letSystemDie(lab: Lab, host: string): Promise<void> {
  const machine = machineOfHost(lab, host);
  const failures: readonly Failure[] = [{ kind: 'dead-system', times: 1 }];
  const answer = await fetch(`${lab.endpoints.agentControl}/machines/${machine.name}/failures`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(failures),
  });
  if (!answer.ok)
    throw new Error(`letting the system of ${machine.name} hang: ${answer.status} ${await answer.text()}`);
}
