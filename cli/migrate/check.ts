import { check } from '../../domain/migration/check.ts';
import { endpointsOf, withKube } from '../access.ts';
import { DONE, type Out, REFUSED, UNREACHABLE } from '../out.ts';
import { printable } from '../printable.ts';
import type { MigrateRequest } from './options.ts';
import { foundLines } from './render.ts';
import { readSurvey } from './survey.ts';

/** Prints what hinders a switch. Returns the exit code: REFUSED when something does. */
export async function printCheck({ output, labFolder }: MigrateRequest, out: Out, now: number): Promise<number> {
  return withKube(endpointsOf(labFolder), async (kube) => {
    const { survey, unread } = await readSurvey(kube);
    const found = check(survey, now);
    if (output === 'json') out.line(JSON.stringify({ found, unread }, null, 2));
    else for (const line of foundLines(found)) out.line(printable(line));
    for (const why of unread) out.aside(`temper: not looked at: ${printable(why)}`);
    if (found.some(({ hinders }) => hinders)) return REFUSED;
    return unread.length > 0 ? UNREACHABLE : DONE;
  });
}
