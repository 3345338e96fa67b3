import { z } from 'zod';
import type { TestLab } from '../../e2e/support/lab.ts';
import { machineOf, powerOf } from '../../e2e/support/metal.ts';
import { machineOfHost } from './hosts.ts';
import { MACHINES, NAMESPACE } from './story.ts';

/** The servers of the record: what their machines do, and what Ironic knows of them. */

/** Of the example cluster: they have the last machines. */
export const CLUSTER_HOSTS = ['host-6', 'host-7', 'host-8', 'host-9'] as const;

const machineOfAny = (name: string): number => {
  const index = CLUSTER_HOSTS.findIndex((host) => host === name);
  return index < 0 ? machineOfHost(name) : MACHINES - CLUSTER_HOSTS.length + index;
};

type Server = Awaited<ReturnType<typeof machineOf>> & { readonly power: string };

/** By host. */
export async function serversOf(lab: TestLab, hosts: readonly string[]): Promise<Readonly<Record<string, Server>>> {
  const found = hosts.map(async (name) => {
    const index = machineOfAny(name);
    return [name, { ...(await machineOf(lab, index)), power: await powerOf(lab, index) }] as const;
  });
  return Object.fromEntries(await Promise.all(found));
}

const nodes = z.object({ nodes: z.array(z.record(z.string(), z.unknown())) });
/** They move with each look at a node. */
const TIMES: readonly string[] = ['updated_at', 'provision_updated_at', 'inspection_finished_at'];
const still = (node: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(Object.entries(node).filter(([key]) => !TIMES.includes(key)));

export type Nodes = Readonly<Record<string, object>>;
/** Ironic's nodes of these hosts, by name. */
export async function nodesOf({ endpoints }: TestLab, hosts: readonly string[]): Promise<Nodes> {
  const answer = await fetch(`${endpoints.ironicDirect}nodes/detail`, {
    headers: { 'X-OpenStack-Ironic-API-Version': '1.89' },
  });
  const names = hosts.map((name) => `${NAMESPACE}~${name}`);
  const all = nodes.parse(await answer.json()).nodes.map((node) => [String(node['name']), still(node)] as const);
  return Object.fromEntries(all.filter(([name]) => names.includes(name)));
}
