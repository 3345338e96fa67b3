import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { diagnose } from '../domain/diagnosis/diagnose.ts';
import type { Diagnosis } from '../domain/diagnosis/diagnosis.ts';
import { fill, PLACEHOLDERS } from '../domain/diagnosis/fill.ts';
import { PARTS } from '../domain/diagnosis/table.ts';
import { examplesOf } from '../test/builders/diagnoses/examples.ts';
import { putPage } from './generated-page.ts';

/**
 * Generates the last section of docs/troubleshooting.md from the table of diagnoses; the others are written by hand.
 */

const HEADING = '## Diagnoses';
const LONGEST_WORDS = 170;

const cell = (text: string): string => text.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ');
const code = (text: string): string => `\`${text.replaceAll('`', "'")}\``;
const cut = (text: string): string => (text.length <= LONGEST_WORDS ? text : `…${text.slice(-LONGEST_WORDS)}`);
const filled = (text: string): string => fill(text, PLACEHOLDERS);

/** The place in the first example that shows the cause, with its text. */
function seen(row: Diagnosis): string {
  const [example] = examplesOf(row);
  const [evidence] = diagnose(example, [row])[0]?.evidence ?? [];
  if (evidence === undefined) throw new Error(`the row ${row.id} does not recognise its own example`);
  const kind = evidence.object.split(' ')[0] ?? '';
  return `${kind}, ${evidence.field}: ${code(cut(evidence.words))}`;
}

const rowOf = (row: Diagnosis): string =>
  `| ${[
    code(row.id),
    seen(row),
    filled(row.cause),
    [
      ...(row.risk === undefined ? [] : [`**${filled(row.risk)}**`]),
      filled(row.next),
      ...row.commands.map((command) => code(filled(command))),
    ].join('<br>'),
  ]
    .map(cell)
    .join(' | ')} |`;

const section = [
  HEADING,
  '',
  'Generated from `domain/diagnosis/` by `npm run troubleshooting`; `npm run check` fails when it is out of date. `temper explain` names these causes, with the names of your',
  'objects in the commands. The words are examples: other versions of Ironic, and other BMCs, may say it differently.',
  '',
  ...PARTS.flatMap(({ title, rows }) => [
    `### ${title}`,
    '',
    '| Id | Seen, for example | Cause | What to do |',
    '|---|---|---|---|',
    ...rows.map(rowOf),
    '',
  ]),
].join('\n');

const page = await readFile(fileURLToPath(new URL('../docs/troubleshooting.md', import.meta.url)), 'utf8');
const [byHand = ''] = page.split(`${HEADING}\n`);
await putPage('troubleshooting', `${byHand}${section}`);
