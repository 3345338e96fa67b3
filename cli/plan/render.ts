import type { HostPlan } from '../../domain/host/plan/plan.ts';

/** The steps of a plan, and how it ends. */
export function planLines({ steps, end }: HostPlan): readonly string[] {
  const width = String(steps.length).length;
  return [
    ...steps.map(
      ({ state, does, erases }, index) =>
        `${String(index + 1).padStart(width)}. ${state}: ${does}${erases === undefined ? '' : `  ERASES ${erases}`}`,
    ),
    endLine(end, steps.length === 0),
  ];
}

function endLine(end: HostPlan['end'], isAll: boolean): string {
  const then = isAll ? 'nothing to do:' : 'then';
  switch (end.kind) {
    case 'gone':
      return `${then} it is gone`;
    case 'endless':
      return 'then these steps begin again: it cannot reach its desired state';
    case 'waits': {
      const state = end.state === '' ? 'new' : end.state;
      const verb = isAll ? 'stays' : 'is';
      return `${then} it ${verb} ${state} and powered ${end.poweredOn ? 'on' : 'off'} (${end.reason})`;
    }
  }
}
