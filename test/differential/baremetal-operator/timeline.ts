import { type Json, mergePatch } from '../../../kube/merge-patch.ts';
import type { Entry } from '../recordings.ts';
import { createNormaliser } from './normalise.ts';
import type { Played } from './play.ts';

export function timelineOf({ versions, written }: Played, namespace: string): readonly Entry[] {
  const normalise = createNormaliser(namespace);
  const now = new Map<string, Json>();
  const steps = [...written];
  const entries: Entry[] = [];
  for (const { at, kind, name, object } of versions) {
    while (steps[0] !== undefined && steps[0].at <= at) entries.push({ step: (steps.shift() ?? { step: -1 }).step });
    if (kind === 'Event') {
      if (object !== undefined) entries.push({ event: normalise(kind, object) });
      continue;
    }
    const key = `${kind}/${name}`;
    const before = now.get(key);
    if (object === undefined) {
      now.delete(key);
      entries.push({ kind, name, change: null });
      continue;
    }
    const after = normalise(kind, object);
    const change = mergePatch(before ?? {}, after);
    now.set(key, after);
    if (change !== undefined) entries.push({ kind, name, change });
  }
  return [...entries, ...steps.map(({ step }) => ({ step }))];
}
