import type { Remarks } from '../../domain/migration/finding.ts';
import { table } from '../table.ts';

/** Objects that are named in a row; of more, there is their number. */
const MOST_NAMED = 3;

/** What was found as a table, then what to do about it. */
export function foundLines(found: readonly Remarks[]): readonly string[] {
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
