import type { Json } from '../../../kube/merge-patch.ts';
import { type Entry, patched } from '../recordings.ts';

/** A story's refusals, and the objects at each of its rests, both by the number of the step. */
export interface Account {
  readonly refused: Readonly<Record<string, string>>;
  readonly rests: Readonly<Record<string, Readonly<Record<string, Json>>>>;
}

export function accountOf(timeline: readonly Entry[]): Account {
  const refused: Record<string, string> = {};
  const rests: Record<string, Readonly<Record<string, Json>>> = {};
  let now: Readonly<Record<string, Json>> = {};
  let rest = '';
  for (const entry of timeline) {
    if ('step' in entry && entry.refused !== undefined) refused[entry.step] = entry.refused;
    if ('rest' in entry) {
      rest = String(entry.rest);
      rests[rest] = now;
    }
    if (!('kind' in entry)) continue;
    const key = `${entry.kind} ${entry.name}`;
    const { [key]: before = {}, ...others } = now;
    now = entry.change === null ? others : { ...others, [key]: patched(before, entry.change) };
    rests[rest] = now;
  }
  return { refused, rests };
}
