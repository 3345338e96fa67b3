import type { MachineMemory } from './memory.ts';
import type { MachineAction } from './step.ts';

/** Only what waits is given up in the middle: everything else is short, and its answer has to be known. */
export function stillWanted({ seen }: MachineMemory, action: MachineAction): boolean {
  if (action.name !== 'find node' || action.told === undefined) return true;
  const isPaused = seen.paused || seen.cluster?.paused === true;
  const { order } = action;
  return (
    seen.deletionTimestamp === undefined &&
    !isPaused &&
    seen.host?.uid === order.host.uid &&
    (seen.metal3Cluster?.cloudProvider ?? false) === order.cloudProvider &&
    (seen.owner?.configRef !== undefined) === order.labelled
  );
}
