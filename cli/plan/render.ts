import type { HostPlan } from '../../domain/host/plan/plan.ts';
import { powerInWords } from '../../domain/host/power/known.ts';

/** The steps of a plan, and how it ends. */
export function planLines({ steps, end }: HostPlan): readonly string[] {
  const width = String(steps.length).length;
  return [
    ...steps.map(
      ({ state, does, erases, isUnderway }, index) =>
        `${String(index + 1).padStart(width)}. ${state}: ${isUnderway ? 'under way: ' : ''}${does}${erases === undefined ? '' : `  ERASES ${erases}`}`,
    ),
    endLine(end, steps.length === 0),
  ];
}

function endLine(end: HostPlan['end'], isAll: boolean): string {
  const isHeld = end.kind === 'waits' && end.isHeld === true;
  const then = isAll ? `${isHeld ? 'held' : 'nothing to do'}:` : 'then';
  switch (end.kind) {
    case 'gone':
      return `${then} it is gone`;
    case 'endless':
      return `then ${end.from === 1 ? 'these steps begin' : `it begins with step ${end.from}`} again: it cannot reach its desired state`;
    case 'waits': {
      const state = end.state === '' ? 'new' : end.state;
      const verb = isAll ? 'stays' : 'is';
      const power = powerInWords(end);
      return `${then} it ${verb} ${state}${power === '' ? '' : ` and ${power}`} (${end.reason})`;
    }
  }
}
