import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../domain/message-of.ts';
import { unlikeSpec } from './ends/as-specified.ts';
import { objectsNow } from './ends/objects.ts';
import { inWords, type Problem } from './ends/problem.ts';
import type { Restores } from './ends/restores.ts';
import { wedgedRuns } from './ends/runs.ts';
import { unlikeHosts } from './ends/servers.ts';
import { keepHistories, waitsOf } from './ends/waits.ts';
import type { AnyTestLab } from './hosts.ts';
import type { Journal } from './journal.ts';

/**
 * A slow computer settles late, but makes progress: something is stuck only when nothing has progressed for this time.
 */
const STUCK_MS = 900_000;
const LOOK_MS = 2_000;
const NOTE_MS = 60_000;

/**
 * Returns when everything is as it should be. Throws with what is stuck, and keeps its histories in the lab's folder.
 */
export async function settle(lab: AnyTestLab, journal: Journal, restores: Restores): Promise<void> {
  const note = (text: string): void => journal.note({ kind: 'note', text });
  note('waiting until everything has settled');
  let fewest = Number.POSITIVE_INFINITY;
  let progressAt = Date.now();
  let notedAt = Date.now();
  for (;;) {
    // A connection may be of the time before a fault, and a run may end while it is looked at.
    const problems = await unsettled(lab, restores).catch((error: unknown) => [{ of: '', what: messageOf(error) }]);
    if (problems.length === 0) return;
    const names = new Set(problems.map(({ of }) => of));
    if (names.size < fewest) {
      fewest = names.size;
      progressAt = Date.now();
    }
    const isStuck = Date.now() - progressAt > STUCK_MS;
    if (isStuck || Date.now() - notedAt > NOTE_MS) {
      notedAt = Date.now();
      const text = await explained(lab, problems);
      note(text);
      if (isStuck) {
        for (const name of names) await keepHistories(lab, name, join(lab.dir, 'stuck')).catch(() => undefined);
        throw new Error(`no progress for ${STUCK_MS / 60_000} minutes:\n${text}`);
      }
    }
    await sleep(LOOK_MS);
  }
}

async function unsettled(lab: AnyTestLab, restores: Restores): Promise<readonly Problem[]> {
  const objects = await objectsNow(lab);
  const unlike = unlikeSpec(objects);
  if (unlike.length > 0) return unlike;
  return [...(await unlikeHosts(lab, objects.hosts, restores)), ...(await wedgedRuns(lab, objects))];
}

/** The problems, and for each object with one, what its runs wait for. */
async function explained(lab: AnyTestLab, problems: readonly Problem[]): Promise<string> {
  const lines = problems.map(async (problem) => {
    const waits = await waitsOf(lab, problem.of).catch((error: unknown) => messageOf(error));
    return `${inWords(problem)} [${waits}]`;
  });
  return (await Promise.all(lines)).join('\n');
}
