import { z } from 'zod';
import { PROVISIONING_STATES } from '../../api/baremetalhost/values.ts';
import { isBusyState } from '../../domain/states/table.ts';
import { isBucket } from '../../domain/usual-times/sketch.ts';
import { type UsualTimes, usualTime } from '../../domain/usual-times/usual-times.ts';

/** Name of the ConfigMap, in the namespace of the bridge. */
export const USUAL_TIMES = 'temper-usual-times';

const CONTENT = 'usual-times.json';

const BUSY_STATES = PROVISIONING_STATES.filter(isBusyState);

const sketch = z.record(z.string().refine(isBucket), z.int().positive());
const content = z.record(
  z.string(),
  z.object({
    learnedAt: z.iso.datetime(),
    states: z.partialRecord(z.enum(BUSY_STATES), z.object({ durations: sketch })),
  }),
);
const configMap = z.object({ data: z.object({ [CONTENT]: z.string() }) });

/** What a bridge has learned; undefined when the ConfigMap can't be read. */
export function readUsualTimes(object: unknown): UsualTimes | undefined {
  const text = configMap.safeParse(object).data?.data[CONTENT];
  const read = content.safeParse(json(text));
  if (!read.success) return undefined;
  const models = Object.entries(read.data).map(([model, { learnedAt, states }]) => {
    const sketches = Object.entries(states).map(([state, { durations }]) => [state, durations]);
    return [model, { learnedAt: Date.parse(learnedAt), states: Object.fromEntries(sketches) as object }] as const;
  });
  return Object.fromEntries(models);
}

/** Also writes the usual time and the limit of each state, for people; the bridge computes both from the durations. */
export function usualTimesData(times: UsualTimes): Readonly<Record<string, string>> {
  const shown = Object.entries(times).map(([model, { learnedAt, states }]) => {
    const shownStates = BUSY_STATES.flatMap((state) => {
      const durations = states[state];
      if (durations === undefined) return [];
      const { usualMs, limitMs } = usualTime(times, model, state);
      return [[state, { usualSeconds: toSeconds(usualMs), limitSeconds: toSeconds(limitMs), durations }] as const];
    });
    return [model, { learnedAt: new Date(learnedAt).toISOString(), states: Object.fromEntries(shownStates) }] as const;
  });
  return { [CONTENT]: JSON.stringify(Object.fromEntries(shown)) };
}

const toSeconds = (ms: number): number => Math.round(ms / 1_000);

function json(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
