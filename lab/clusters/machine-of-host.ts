import { z } from 'zod';
import type { Lab } from '../lab.ts';
import { bootMac, type LabMachine } from '../machines/machine.ts';
import type { Network } from '../node/network/configure.ts';
import { exampleClusterHosts } from './examples.ts';

/** The lab's machine of a host of the example cluster. */
export function machineOfHost({ machines }: Pick<Lab, 'machines'>, host: string): LabMachine {
  const mac = exampleClusterHosts().find(({ metadata }) => metadata.name === host)?.spec?.['bootMACAddress'];
  const machine = machines.find((one) => bootMac(one) === mac);
  if (machine === undefined) throw new Error(`host ${host} is on no machine of the lab`);
  return machine;
}

const texts = z.array(z.string());
const view = z.object({
  node: z.object({ network: z.object({ addresses: texts, gateways: texts, dnsServers: texts }).optional() }).nullable(),
});

/** The network that the system on a host has configured; undefined while no system with a network runs on it. */
export async function networkOfHost(lab: Lab, host: string): Promise<Network | undefined> {
  const { name } = machineOfHost(lab, host);
  const answer = await fetch(`${lab.endpoints.agentControl}/machines/${name}`);
  if (!answer.ok) throw new Error(`reading the network of ${name}: ${answer.status} ${await answer.text()}`);
  return view.parse(await answer.json()).node?.network;
}
