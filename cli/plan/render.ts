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
  const then = isAll ? 'nothing: it' : 'then it';
  switch (end.kind) {
    case 'gone':
      return `${then} is gone`;
    case 'endless':
      return `${then} begins again: what it should be cannot be reached`;
    case 'waits': {
      const state = end.state === '' ? 'new' : end.state;
      return `${then} is ${state}, powered ${end.poweredOn ? 'on' : 'off'}: ${end.reason}`;
    }
  }
}
