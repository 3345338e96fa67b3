import type { DeletePolicy, OwnedMachine } from './snapshot.ts';

/**
 * In the order in which they are deleted when there are too many: marked ones, failed ones, those without a Node, then
 * by age.
 */
export const surplusOf = (machines: readonly OwnedMachine[], policy: DeletePolicy): readonly OwnedMachine[] =>
  machines.toSorted((a, b) => rankOf(a) - rankOf(b) || byAge(a, b, policy));

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
