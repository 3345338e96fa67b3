import { expect, vi } from 'vitest';
import { hostWorkflowId, view } from '../../../workflows/messages.ts';
import { withTemporal } from './histories.ts';
import { editHost, getHost, type Host, hostManifest, hostThat, NAMESPACE } from './hosts.ts';
import type { TestLab } from './lab.ts';
import { machineOf } from './metal.ts';
import { recorded } from './recorded.ts';

/** Whether hosts are as their objects ask: in their status, in their runs, in Ironic and on their disks. */

const PATIENT = { timeout: 900_000, interval: 500 };

const imageAskedBy = (host: Host | undefined): string =>
  (host?.spec['image'] as { readonly url: string } | undefined)?.url ?? '';

/** What the spec asks for, and whether the host's run has brought it about and waits for nothing but a change. */
async function isAsAsked(lab: TestLab, name: string): Promise<string> {
  const host = await getHost(lab, name);
  if (host === undefined) return 'does not exist';
  const image = imageAskedBy(host);
  const run = await withTemporal(lab, (client) =>
    client.workflow.getHandle(hostWorkflowId({ namespace: NAMESPACE, name })).query(view),
  );
  const asked = { state: image === '' ? 'available' : 'provisioned', image };
  const { operationalStatus, provisioning } = host.status;
  const shown = { state: provisioning.state, image: provisioning.image?.url ?? '' };
  const known = (run?.shown.status as Host['status'] | undefined)?.provisioning;
  const inRun = { state: run?.shown.state ?? '', image: known?.image?.url ?? '' };
  if (operationalStatus !== 'OK') return `is ${operationalStatus}: ${host.status.errorMessage}`;
  if (JSON.stringify(asked) !== JSON.stringify(shown)) return `asks for ${asked.state} ${image}, shows ${shown.state}`;
  if (JSON.stringify(asked) !== JSON.stringify(inRun)) return `asks for ${asked.state}, its run is ${inRun.state}`;
  // Before it, the reason of a host that is to be off says that it is.
  const isAtRest = /(^|; )(provisioned as desired|waiting for an image in spec\.image)$/.test(run?.waitingFor ?? '');
  return isAtRest ? 'as asked' : `its run waits: ${run?.waitingFor}`;
}

export const settled = (lab: TestLab, names: readonly string[]): Promise<unknown> =>
  Promise.all(
    names.map((name) => vi.waitFor(async () => expect(await isAsAsked(lab, name)).toBe('as asked'), PATIENT)),
  );

/** Images by host: their URLs, '' for none. */
type Images = Readonly<Record<string, string>>;

const imagesOf = async (names: readonly string[], imageOf: (name: string) => Promise<string>): Promise<Images> =>
  Object.fromEntries(await Promise.all(names.map(async (name) => [name, await imageOf(name)] as const)));

/** What the machines have on their disks, whatever the databases say. */
export const imagesOnDisk = (lab: TestLab, names: readonly string[]): Promise<Images> =>
  imagesOf(names, async (name) => {
    const index = lab.machines.findIndex((_, at) => hostManifest(lab, at).metadata.name === name);
    const { disk } = await machineOf(lab, index);
    return (disk.image as { readonly url: string } | null)?.url ?? '';
  });

/**
 * The machines have on their disks what their hosts ask for. `unknown`: what is on the disks of which nothing that was
 * put back knows, and therefore stays there.
 */
export async function expectOnDisk(lab: TestLab, names: readonly string[], unknown: Images = {}): Promise<void> {
  const asked = await imagesOf(names, async (name) => imageAskedBy(await getHost(lab, name)));
  expect(await imagesOnDisk(lab, names)).toEqual({ ...asked, ...unknown });
}

/** Changes each host and waits until the change shows: then its run knows the present object and is at rest. */
export async function obey(lab: TestLab, names: readonly string[]): Promise<void> {
  await settled(lab, names);
  for (const name of names) await editHost(lab, name, { online: false });
  await Promise.all(
    names.map((name) => hostThat(lab, name, 'off', ({ status }) => !status.poweredOn, PATIENT.timeout)),
  );
  await settled(lab, names);
  await Promise.all(
    names.map((name) => vi.waitFor(async () => expect(await nodeStateOf(lab, name)).toBe('as shown'), PATIENT)),
  );
}

/** Ironic regards a host with an image as in use. */
async function nodeStateOf(lab: TestLab, name: string): Promise<string> {
  const host = await getHost(lab, name);
  const url = new URL(`nodes/${host?.status.provisioning.ID}?fields=provision_state`, lab.endpoints.ironicDirect);
  const answer = await fetch(url, { headers: { 'X-OpenStack-Ironic-API-Version': '1.89' } });
  const { provision_state: state } = (await answer.json()) as { readonly provision_state?: string };
  return host?.status.provisioning.state !== 'provisioned' || state === 'active' ? 'as shown' : `${state}`;
}

export type Counts = Readonly<Record<string, readonly string[]>>;

/** Requests to Ironic that interrupt a machine, by node, as the proxy in front of Ironic counted them: `deleted 1`. */
export async function disruptionsByNode(lab: TestLab): Promise<Counts> {
  const { provisions } = await recorded(lab);
  const byNode: Record<string, string[]> = {};
  for (const target of ['deleted', 'active', 'clean', 'provide', 'inspect', 'rebuild']) {
    for (const [node, count] of Object.entries(provisions[target] ?? {}))
      (byNode[node] ??= []).push(`${target} ${count}`);
  }
  return byNode;
}

/** The same by host. */
export async function disruptions(lab: TestLab, names: readonly string[]): Promise<Counts> {
  const byNode = await disruptionsByNode(lab);
  const found = await Promise.all(
    names.map(async (name) => [name, byNode[(await getHost(lab, name))?.status.provisioning.ID ?? ''] ?? []] as const),
  );
  return Object.fromEntries(found.filter(([, counts]) => counts.length > 0));
}
