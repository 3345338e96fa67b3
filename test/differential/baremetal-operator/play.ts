import { field } from '../watch-versions.ts';
import { quiet, reached } from './await.ts';
import type { Story } from './story.ts';
import { type Version, type Witness, watchNamespace } from './witness.ts';
import { type Stage, write } from './write.ts';

interface Manner {
  /** How long nothing may happen before it counts as quiet. */
  readonly quietMs: number;
  /** How long to wait for a condition. */
  readonly patienceMs: number;
  /** Restarts the operator; when absent, nothing is restarted. */
  readonly restart?: () => Promise<void>;
  /** False while the operator still works on something: a busy computer may be quiet in the middle of it. */
  readonly isAtRest?: () => Promise<boolean>;
  /** False while more must happen: a busy computer may be quiet too early. It stays true once it is true. */
  readonly isWhole?: (played: Played) => boolean;
}

/** A step of the story that wrote something, and the version after it. */
export interface Written {
  readonly at: number;
  readonly step: number;
}

export interface Played {
  readonly versions: readonly Version[];
  readonly written: readonly Written[];
}

/** Plays a story in a new namespace, until it is quiet after the last step. */
export async function play(story: Story, stage: Stage, manner: Manner): Promise<Played> {
  const { kube, namespace } = stage;
  const { patienceMs, restart, isWhole = () => true } = manner;
  const witness = await watchNamespace(kube, namespace);
  const written: Written[] = [];
  let since = 0;
  try {
    for (const [index, step] of story.steps.entries()) {
      if ('restart' in step) await restart?.();
      else if ('quiet' in step) await rest(witness, manner);
      else if ('until' in step || 'event' in step || 'gone' in step) {
        since = await reached(step, { witness, since, written: written.at(-1)?.at ?? 0, patienceMs });
      } else {
        since = await versionOf(await write(step, stage), witness, since);
        written.push({ at: since, step: index });
      }
    }
    for (const until = Date.now() + patienceMs; ; ) {
      await rest(witness, manner);
      const played = { versions: [...witness.versions()], written };
      if (isWhole(played) || Date.now() > until) return played;
    }
  } finally {
    await witness.stop();
  }
}

/** Returns when nothing was written for a while, and the operator has nothing in hand. */
async function rest(witness: Witness, { quietMs, patienceMs, isAtRest = async () => true }: Manner): Promise<void> {
  const until = Date.now() + patienceMs;
  do await quiet(witness, quietMs);
  while (!(await isAtRest()) && Date.now() < until);
}

/**
 * The version after a write, when the watch has delivered it: until then the state before the write still looks
 * current. The response to an immediate deletion has no version.
 */
async function versionOf(answer: unknown, witness: Witness, since: number): Promise<number> {
  const version = Number(field(answer, 'metadata', 'resourceVersion'));
  const isOfWrite = ({ at, object }: Version): boolean =>
    version > 0 ? at === version : at > since && object === undefined;
  for (;;) {
    const found = witness.versions().findLast(isOfWrite);
    if (found !== undefined) return found.at;
    await witness.next(1_000);
  }
}
