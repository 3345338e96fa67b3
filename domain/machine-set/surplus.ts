import type { DeletePolicy, MachineSetSnapshot, OwnedMachine } from './snapshot.ts';

/**
 * In the order in which they are deleted when there are too many: marked ones, failed ones, those without a Node, then
 * by age.
 */
export const surplusOf = (machines: readonly OwnedMachine[], policy: DeletePolicy): readonly OwnedMachine[] =>
  machines.toSorted((a, b) => rankOf(a) - rankOf(b) || byAge(a, b, policy));

/** Machines of each sort in one snapshot: it stays far below the largest message of Temporal. */
const MOST = 200;

/** Of very many Machines, those that decide on the next steps, and the numbers of the others. */
export function listedOf(
  machines: readonly OwnedMachine[],
  policy: DeletePolicy,
): Pick<MachineSetSnapshot, 'machines' | 'more'> {
  const byName = (a: OwnedMachine, b: OwnedMachine): number => (a.name < b.name ? -1 : 1);
  if (machines.length <= 2 * MOST) return { machines: machines.toSorted(byName) };
  const stay = machines.filter(({ deleting }) => !deleting);
  const newest = stay.toSorted((a, b) => byAge(a, b, 'Newest')).slice(0, MOST);
  const listed = new Set([...surplusOf(stay, policy).slice(0, MOST), ...newest]);
  const others = machines.filter((machine) => !listed.has(machine));
  const count = (fits: (machine: OwnedMachine) => boolean): number => others.filter(fits).length;
  const deleting = count((machine) => machine.deleting);
  return {
    machines: [...listed].toSorted(byName),
    more: {
      present: others.length - deleting,
      deleting,
      labelled: count(({ isLabelled }) => isLabelled),
      ready: count(({ isReady }) => isReady),
    },
  };
}

function rankOf({ marked, failed, hasNode }: OwnedMachine): number {
  if (marked) return 0;
  if (failed) return 1;
  return hasNode ? 3 : 2;
}

/** The newest first, unless the policy is Oldest; of the same age by name. */
function byAge(a: OwnedMachine, b: OwnedMachine, policy: DeletePolicy): number {
  if (a.creationTimestamp === b.creationTimestamp) return a.name < b.name ? -1 : 1;
  const isOlder = a.creationTimestamp < b.creationTimestamp;
  return (policy === 'Oldest') === isOlder ? -1 : 1;
}
