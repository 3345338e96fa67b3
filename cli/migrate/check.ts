import { check } from '../../domain/migration/check.ts';
import type { Remarks } from '../../domain/migration/finding.ts';
import { endpointsOf, withKube } from '../access.ts';
import type { PrintRequest } from '../command-line.ts';
import { DONE, type Out, print, printable, REFUSED, UNREACHABLE } from '../out.ts';
import { table } from '../table.ts';
import { readSurvey } from './survey.ts';

/** Prints what hinders a switch. Returns the exit code: REFUSED when something does. */
export async function printCheck({ output, dir }: PrintRequest, out: Out, now: number): Promise<number> {
  return withKube(endpointsOf(dir), async (kube) => {
    const { survey, unread } = await readSurvey(kube);
    const found = check(survey, now);
    print(out, output, { found, unread }, () => foundLines(found));
    for (const why of unread) out.aside(`temper: not looked at: ${printable(why)}`);
    if (found.some(({ hinders }) => hinders)) return REFUSED;
    return unread.length > 0 ? UNREACHABLE : DONE;
  });
}

/** Objects that are named in a row; of more, there is their number. */
const MOST_NAMED = 3;

/** What was found as a table, then what to do about it. */
function foundLines(found: readonly Remarks[]): readonly string[] {
  const hindering = found.filter(({ hinders }) => hinders).length;
  if (found.length === 0) return ['Nothing hinders the switch.'];
  return [
    ...table(
      ['', 'FINDING', 'ON', 'WHAT'],
      found.map(({ hinders, rule, on, what }) => [hinders ? 'hinders' : 'know', rule, named(on), what]),
    ),
    '',
    'What to do',
    ...new Set(found.map(({ rule, next }) => `  ${rule}: ${next}`)),
    '',
    hindering === 0 ? 'Nothing hinders the switch.' : `The switch is hindered in ${hindering} of these ways.`,
  ];
}

function named(objects: readonly string[]): string {
  const rest = objects.length - MOST_NAMED;
  const names = objects.slice(0, MOST_NAMED).join(', ');
  return rest > 0 ? `${names} and ${rest} more` : names;
}
