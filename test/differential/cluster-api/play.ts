import { isDeepStrictEqual } from 'node:util';
import { type Json, mergePatch } from '../../../kube/merge-patch.ts';
import type { Entry } from '../recordings.ts';
import type { Witness } from '../watch-versions.ts';
import type { StoryKind } from './kinds.ts';
import { objectsOf } from './objects.ts';
import type { Story } from './story.ts';
import { type Stage, write } from './write.ts';

export interface Manner {
  /** How long nothing may happen before it counts as quiet. */
  readonly quietMs: number;
  /** How long to wait at a rest for what is missing, while nothing changes. */
  readonly patienceMs: number;
  /** False while the operator still works on something. */
  readonly isAtRest?: () => Promise<boolean>;
  /** False while more must happen: a busy computer may be quiet too early. */
  readonly isWhole?: (timeline: readonly Entry[]) => boolean;
}

/**
 * Plays a story in a new namespace. The timeline has its steps, with refusals, and for each rest the changes of objects
 * since the rest before, in the order of their names.
 */
export async function play(
  { steps }: Story,
  stage: Stage,
  witness: Witness<StoryKind>,
  manner: Manner,
): Promise<readonly Entry[]> {
  let timeline: readonly Entry[] = [];
  let before: ReadonlyMap<string, Json> = new Map();
  for (const [step, writes] of steps.entries()) {
    if (writes !== undefined) {
      const refused: string[] = [];
      for (const order of writes) {
        const answer = await write(order, stage);
        if ('refused' in answer) refused.push(answer.refused.replaceAll(stage.namespace, '<namespace>'));
      }
      timeline = [...timeline, { step, ...(refused.length > 0 && { refused: refused.join('\n') }) }];
      continue;
    }
    for (let since = Date.now(), last = before; ; ) {
      const now = await settled(witness, stage.namespace, manner.quietMs);
      if (!isDeepStrictEqual(now, last)) since = Date.now();
      last = now;
      const longer = [...timeline, { rest: step }, ...changesBetween(before, now)];
      const isDone = (await (manner.isAtRest?.() ?? true)) && (manner.isWhole?.(longer) ?? true);
      if (!isDone && Date.now() < since + manner.patienceMs) continue;
      timeline = longer;
      before = now;
      break;
    }
  }
  return timeline;
}

/** The objects when nothing but times has changed for a while: upstream writes some times again and again. */
async function settled(witness: Witness<StoryKind>, namespace: string, ms: number): Promise<ReadonlyMap<string, Json>> {
  let now = objectsOf(witness.versions(), namespace);
  for (let since = Date.now(); ; ) {
    const left = since + ms - Date.now();
    if (left <= 0) return now;
    await witness.next(left);
    const next = objectsOf(witness.versions(), namespace);
    if (!isDeepStrictEqual(now, next)) since = Date.now();
    now = next;
  }
}

function changesBetween(before: ReadonlyMap<string, Json>, now: ReadonlyMap<string, Json>): readonly Entry[] {
  const keys = [...new Set([...before.keys(), ...now.keys()])].toSorted();
  return keys.flatMap((key): readonly Entry[] => {
    const [kind = '', name = ''] = key.split(' ');
    const object = now.get(key);
    if (object === undefined) return [{ kind, name, change: null }];
    const change = mergePatch(before.get(key) ?? {}, object);
    return change === undefined ? [] : [{ kind, name, change }];
  });
}
