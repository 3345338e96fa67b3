import type { Trouble } from '../entity/retry.ts';
import { areComparable } from '../entity/seen.ts';
import { type HostFacts, isConsumer } from '../machine/choose-host/host-facts.ts';
import type { WithLastHost } from '../machine/memory/last-host.ts';
import { isOlder, isUpToDate } from '../machine/memory/memory.ts';
import type { HostNews } from '../machine/memory/snapshot.ts';
import { same } from '../same.ts';
import type { WithSteered } from '../steering/steered.ts';
import type { MachineApiSnapshot, MachineName } from './snapshot.ts';

/** Memory of the workflow of a Machine. Plain JSON. What it shows follows from it alone. */
export interface MachineApiMemory extends WithSteered, WithLastHost {
  readonly version: 1;
  readonly seen: MachineApiSnapshot;
  /** The last search found no host; repeated after news. */
  readonly noHost: { readonly reason: string; readonly news: HostNews } | null;
  readonly released: boolean;
  /** Uid of the Node that was linked to the Machine. */
  readonly nodeLinked: string | null;
  /** Uid of the Node that was deleted. */
  readonly nodeDeleted: string | null;
  readonly trouble: (Trouble & { readonly action: string }) | null;
  /** The name of the last retry, until its annotation is gone. */
  readonly retried?: string;
}

export const begin = (seen: MachineApiSnapshot): MachineApiMemory => ({
  version: 1,
  seen,
  noHost: null,
  released: false,
  nodeLinked: null,
  nodeDeleted: null,
  trouble: null,
});

/** A memory that starts again keeps the name of the host that the Machine had, or may have. */
export function begunAgain(
  { seen: before, lastHost: asked }: MachineApiMemory,
  seen: MachineApiSnapshot,
): MachineApiMemory {
  const lastHost = seen.host === undefined ? (lostHost(before, seen) ?? asked) : undefined;
  return { ...begin(seen), ...(lastHost !== undefined && { lastHost }) };
}

/** What we wrote to a host is remembered until it is seen: a snapshot may be older. */
export function absorb(
  { lastHost: asked, retried, ...memory }: MachineApiMemory,
  seen: MachineApiSnapshot,
): MachineApiMemory {
  const { seen: before } = memory;
  const host = areComparable(before, seen) ? newest(before, seen) : seen.host;
  const { host: _, ...rest } = seen;
  const now = host === undefined ? rest : { ...rest, host };
  const lastHost = host === undefined ? (lostHost(before, seen) ?? asked) : undefined;
  return {
    ...memory,
    ...(lastHost !== undefined && { lastHost }),
    // Once the annotation is gone, the next one is another request.
    ...(retried !== undefined && seen.retry !== undefined && { retried }),
    seen: now,
    noHost: isAnotherSearch(memory, now) ? null : memory.noHost,
    nodeLinked: same(before.node, now.node) ? memory.nodeLinked : null,
    trouble: same(before.desired, now.desired) ? memory.trouble : null,
  };
}

/** The host of the Machine is missing in a snapshot that can not be compared. */
function lostHost({ host }: MachineApiSnapshot, seen: MachineApiSnapshot): string | undefined {
  const isOurs = host !== undefined && isConsumer(host.consumer, machineOf(seen));
  return isOurs && seen.link !== `${host.namespace}/${host.name}` ? host.name : undefined;
}

/** A host that was just claimed is missing in a snapshot that is older than the claim. */
function newest(before: MachineApiSnapshot, seen: MachineApiSnapshot): HostFacts | undefined {
  const known = before.host;
  if (known === undefined || (seen.host !== undefined && seen.host.uid !== known.uid)) return seen.host;
  if (seen.host === undefined) return lostHost(before, seen) === undefined ? undefined : known;
  return isOlder(seen.host, known) ? known : seen.host;
}

function isAnotherSearch({ seen: before, noHost }: MachineApiMemory, seen: MachineApiSnapshot): boolean {
  return !isUpToDate(seen, noHost) || !same(before.desired, seen.desired) || seen.host !== undefined;
}

export const machineOf = ({ namespace, name, api }: MachineApiSnapshot): MachineName => ({ namespace, name, api });

/** True when the Machine is the consumer of its host. */
export const ownsHost = ({ seen }: MachineApiMemory): boolean => isConsumer(seen.host?.consumer, machineOf(seen));
