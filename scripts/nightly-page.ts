/** `test/nightly/results.md`: the last nightly result of each test file. docs/nightly.md says what these tests are. */

export const NIGHTLY_PAGE = 'test/nightly/results.md';

/** Rows of the table by test file. */
export type Rows = ReadonlyMap<string, string>;

export interface NightlyResult {
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly durationMs: number;
}

/** When, of what and where a nightly run was. */
export interface Circumstances {
  readonly date: string;
  readonly commit: string;
  readonly machine: string;
}

export const rowsOf = (page: string): Rows =>
  new Map(
    page
      .split('\n')
      .flatMap((row) => [...row.matchAll(/^\| `([^`]+)` /g)].map(([, file = '']) => [file, row] as const)),
  );

export function rowOf(
  { file, passed, failed, skipped, durationMs }: NightlyResult,
  { date, commit, machine }: Circumstances,
): string {
  const parts = [
    ...(failed > 0 ? [`**${failed} failed**`] : []),
    `${passed} passed`,
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  const result = parts.join(', ');
  return `| \`${file}\` | ${result} | ${(durationMs / 60_000).toFixed(1)} min | ${date} | ${commit} | ${machine} |`;
}

/** The page with these rows. Files for the night without a row have no result yet, and the page says so. */
export function nightlyPage(rows: Rows, forTheNight: readonly string[]): string {
  const open = forTheNight.map((file) => [file, `| \`${file}\` | no result yet | | | | |`] as const);
  const all = [...new Map([...open, ...rows])].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  return `# The last nightly runs

Written by \`npm run test:nightly\`; not to be edited. [docs/nightly.md](../../docs/nightly.md) says what these tests are.

| Tests | Result | Took | On | At commit | On machine |
|---|---|---|---|---|---|
${all.join('\n')}
`;
}
