import { deletionOf } from './deletion.ts';
import type { Diagnosis, Evidence, Subject } from './diagnosis.ts';
import { fill, namesIn } from './fill.ts';
import { DELETION_GOES_ON, DELETION_OF_MACHINES } from './risks.ts';
import type { Sight } from './sight.ts';
import { DIAGNOSES } from './table.ts';

/** A cause that was found, with the names of the objects filled in. */
export interface Cause {
  readonly id: string;
  readonly of: Subject;
  readonly cause: string;
  readonly evidence: readonly Evidence[];
  readonly waitsForChange?: true;
  /** What the advice may do to a server; absent when it disturbs none. */
  readonly risk?: string;
  readonly next: string;
  readonly commands: readonly string[];
}

/** The causes of what is seen, the most important first; none when nothing is wrong. Pure. */
export function diagnose(sight: Sight, table: readonly Diagnosis[] = DIAGNOSES): readonly Cause[] {
  const read = new Set<Subject>();
  return table.flatMap((row): readonly Cause[] => {
    if (row.readsWords && read.has(row.of)) return [];
    const isDeleted = row.of !== 'temporal' && sight[row.of]?.deleting === true;
    if (isDeleted && !row.whileDeleting) return [];
    const seen = row.see(sight);
    if (seen === undefined) return [];
    if (row.readsWords) read.add(row.of);
    const names = { ...namesIn(sight), ...seen.names };
    const { id, of, evidence } = { ...row, evidence: seen.evidence };
    const risk = isDeleted && row.holds ? riskOfDeletion(row, sight) : row.risk;
    return [
      {
        id,
        of,
        cause: fill(row.cause, names),
        evidence,
        ...(row.waitsForChange && { waitsForChange: true }),
        ...(risk !== undefined && { risk: fill(risk, names) }),
        next: fill(row.next, names),
        commands: row.commands.flatMap((command) =>
          seen.objects !== undefined && command.includes('{object}')
            ? seen.objects.map((object) => fill(command, { ...names, object }, true))
            : fill(command, names, true),
        ),
      },
    ];
  });
}

/** What goes on when nothing holds the object any more. */
const riskOfDeletion = ({ of }: Diagnosis, { host }: Sight): string =>
  of === 'host' && host !== undefined ? DELETION_GOES_ON[deletionOf(host)] : DELETION_OF_MACHINES;
