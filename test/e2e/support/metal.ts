import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Failure } from '../../../lab/machines/failure.ts';
import { type RootFolder, rootFolder } from '../../../lab/node/root-folder.ts';
import type { TestLab } from './lab.ts';
import { NAMESPACE } from './place/namespace.ts';

const machine = z.looseObject({
  powerOffs: z.number(),
  disk: z.looseObject({
    image: z.unknown(),
    configDrive: z.unknown(),
    writes: z.number(),
    erasures: z.number(),
  }),
});

const nameOf = (lab: TestLab, index: number): string => lab.machines[index]?.name ?? `no machine ${index}`;

/** The disk of the lab's n-th machine, read from the agent server. */
export const machineOf = async (lab: TestLab, index: number): Promise<z.infer<typeof machine>> =>
  machine.parse(await (await fetch(`${lab.endpoints.agentControl}/machines/${nameOf(lab, index)}`)).json());

/** The files of the installed system on the n-th machine. */
export const filesOf = (lab: TestLab, index: number): RootFolder =>
  rootFolder(join(lab.dir, 'disks', nameOf(lab, index), 'root'));

/** Sets the failures of the n-th machine. */
export async function letFail(lab: TestLab, index: number, ...failures: readonly Failure[]): Promise<void> {
  const answer = await fetch(`${lab.endpoints.agentControl}/machines/${nameOf(lab, index)}/failures`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(failures),
  });
  if (!answer.ok) throw new Error(`failures of machine ${index}: ${answer.status} ${await answer.text()}`);
}

const nodes = z.object({ nodes: z.array(z.looseObject({ uuid: z.string(), name: z.string().nullable() })) });

/** Names of Ironic's nodes, requested without the proxy. */
export const nodesOf = async (lab: TestLab): Promise<readonly (string | null)[]> => {
  const answer = await fetch(`${lab.endpoints.ironicDirect}nodes?fields=uuid,name`, {
    headers: { 'X-OpenStack-Ironic-API-Version': '1.89' },
  });
  return nodes.parse(await answer.json()).nodes.map(({ name }) => name);
};

const systemOf = (lab: TestLab, index: number): { readonly url: string; readonly headers: Record<string, string> } => {
  const { username, password } = lab.endpoints.bmc;
  return {
    url: `${lab.endpoints.redfish}/redfish/v1/Systems/${lab.machines[index]?.uuid}`,
    headers: { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` },
  };
};

/** The power state of the n-th machine, from its BMC. */
export async function powerOf(lab: TestLab, index: number): Promise<string> {
  const { url, headers } = systemOf(lab, index);
  return z.looseObject({ PowerState: z.string() }).parse(await (await fetch(url, { headers })).json()).PowerState;
}

/** Changes the power of the n-th machine at its BMC, without Ironic. */
export async function switchMachine(lab: TestLab, index: number, how: 'ForceOff' | 'On'): Promise<void> {
  const { url, headers } = systemOf(lab, index);
  const answer = await fetch(`${url}/Actions/ComputerSystem.Reset`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ ResetType: how }),
  });
  if (!answer.ok) throw new Error(`${how} of machine ${index}: ${answer.status} ${await answer.text()}`);
}

/** The Ironic node of a host, requested without the proxy. */
export async function nodeOf(
  lab: TestLab,
  host: string,
): Promise<{ readonly driver_info: object; readonly provision_state: string }> {
  const answer = await fetch(`${lab.endpoints.ironicDirect}nodes/${NAMESPACE}~${host}`, {
    headers: { 'X-OpenStack-Ironic-API-Version': '1.89' },
  });
  return z.looseObject({ driver_info: z.looseObject({}), provision_state: z.string() }).parse(await answer.json());
}

/** A request to Ironic, without Temper; sent again while the node is locked, as Ironic's answer says. */
export async function askIronic(lab: TestLab, method: string, path: string, body?: object): Promise<void> {
  for (;;) {
    const answer = await fetch(`${lab.endpoints.ironicDirect}${path}`, {
      method,
      headers: { 'X-OpenStack-Ironic-API-Version': '1.89', 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (answer.ok) return;
    const said = await answer.text();
    if (answer.status !== 409 || !said.includes('is locked'))
      throw new Error(`${method} ${path}: ${answer.status} ${said}`);
    await sleep(LOCKED_PAUSE_MS);
  }
}

const LOCKED_PAUSE_MS = 200;

/** The virtual CD drive of the n-th machine, from its BMC. */
export async function driveOf(lab: TestLab, index: number): Promise<{ readonly Inserted: boolean }> {
  const { username, password } = lab.endpoints.bmc;
  const answer = await fetch(
    `${lab.endpoints.redfish}/redfish/v1/Systems/${lab.machines[index]?.uuid}/VirtualMedia/Cd`,
    { headers: { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` } },
  );
  return z.looseObject({ Inserted: z.boolean() }).parse(await answer.json());
}
