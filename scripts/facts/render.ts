import { DIFFERENCE_ID, type FactPage, type FactPageName, factFile } from './fact-page.ts';

const row = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ')).join(' | ')} |`;

const table = (heads: readonly string[], rows: readonly (readonly string[])[]): readonly string[] => [
  row(heads),
  `|${'---|'.repeat(heads.length)}`,
  ...rows.map(row),
  '',
];

const isReason = (pin: string): boolean => DIFFERENCE_ID.test(pin) || /^(?:later|unseen): /.test(pin);
const shown = (pin: string): string => (isReason(pin) ? pin : `\`${pin}\``);

/** The page of tables that people read. */
export function renderFactPage(name: FactPageName, { title, about, columns, differences, sections }: FactPage): string {
  return [
    `# ${title}`,
    '',
    about,
    '',
    `Generated from \`${factFile(name, 'yaml')}\` by \`npm run facts\`; [what the columns mean](README.md).`,
    '',
    ...differences.flatMap((each) => [
      `## ${each.title}`,
      '',
      ...table(
        ['Id', ...each.columns],
        each.rows.map(({ id, upstream, temper, why }) => [id, upstream, temper, ...(why === undefined ? [] : [why])]),
      ),
    ]),
    '## Facts',
    '',
    ...sections.flatMap(({ title: heading, text, facts }) => [
      `### ${heading}`,
      '',
      ...(text === undefined ? [] : [text, '']),
      ...table(
        ['Id', ...columns],
        facts.map(({ id, fact, today, pins }) => [
          id,
          fact,
          ...(today === undefined ? [] : [today]),
          pins.map(shown).join('<br>'),
        ]),
      ),
    ]),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}
