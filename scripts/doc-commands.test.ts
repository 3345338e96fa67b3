import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { DOC_COMMANDS } from './doc-commands.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

interface Block {
  readonly page: string;
  readonly begin: string;
  /** The section that it is in; '' before the first. */
  readonly section: string;
  /** Its steps are read by `stepsOf`. */
  readonly isStep: boolean;
}

/** What is shown and not run has a language, such as `text` or `yaml`. */
const COMMANDS: readonly string[] = ['', 'sh', 'bash', 'shell'];
const FENCED = /^ *```(\w*)\n([^]*?)^ *```$/gm;

const pages: [string, string][] = [];
for await (const page of glob(['*.md', 'docs/**/*.md', 'deploy/**/*.md'], { cwd: ROOT }))
  pages.push([page, await readFile(ROOT + page, 'utf8')]);

const blocks = pages.flatMap(([page, text]) =>
  [...text.matchAll(FENCED)].flatMap(({ 1: language = '', 2: body = '', index }): readonly Block[] => {
    if (!COMMANDS.includes(language)) return [];
    const section = [...text.slice(0, index).matchAll(/^## (.+)$/gm)].at(-1)?.[1] ?? '';
    return [{ page, begin: body.split('\n')[0]?.trim() ?? '', section, isStep: language === 'sh' }];
  }),
);
const listed = Object.entries(DOC_COMMANDS).flatMap(([page, commands]) =>
  Object.entries(commands).map(([begin, entry]) => ({
    page,
    begin,
    entry,
    name: `${page}: ${begin}`,
    blocks: blocks.filter((block) => block.page === page && beginOf(block) === begin),
  })),
);

/** The entry of a block is the longest one that it begins with. */
function beginOf({ page, begin }: Block): string | undefined {
  const begins = Object.keys(DOC_COMMANDS[page] ?? {}).filter((each) => begin.startsWith(each));
  return begins.toSorted((a, b) => b.length - a.length)[0];
}

describe('the commands of the documents', () => {
  test('are all in the table that says who runs them, and nothing else is', () => {
    expect(blocks.filter((block) => beginOf(block) === undefined)).toEqual([]);
    expect(listed.filter((each) => each.blocks.length !== 1).map(({ name }) => name)).toEqual([]);
    expect(blocks.length).toBeGreaterThan(50);
  });

  test('are run by tests that name their page, and read their section', async () => {
    const wrong: string[] = [];
    for (const { page, begin, name, entry, blocks: of } of listed) {
      if (!('by' in entry)) continue;
      const text = existsSync(ROOT + entry.by) ? await readFile(ROOT + entry.by, 'utf8') : '';
      const reads = of.flatMap(({ section }) => [`'${section}'`, `"${section}"`, begin]);
      const isRead = of.every(({ isStep }) => !isStep) || reads.some((each) => text.includes(each));
      if (!text.includes(page) || !isRead) wrong.push(`${entry.by} does not run ${name}`);
    }
    expect(wrong).toEqual([]);
  });

  test('are not run for a reason whose tests exist', () => {
    const named = listed.flatMap(({ entry }) => ('not' in entry ? (entry.not.match(/\S+\.test\.ts/g) ?? []) : []));
    expect(named.filter((path) => !existsSync(ROOT + path))).toEqual([]);
    expect(named).toContain('deploy/krew/krew.test.ts');
  });
});
