import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { DOC_COMMANDS } from './doc-commands.ts';
import { blocksOf, keyOf } from './documented/blocks.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const pages: [string, string][] = [];
for await (const page of glob(['*.md', 'docs/**/*.md', 'deploy/**/*.md'], { cwd: ROOT }))
  pages.push([page, await readFile(ROOT + page, 'utf8')]);

const blocks = pages.flatMap(([page, text]) => blocksOf(page, text));
const listed = Object.entries(DOC_COMMANDS).flatMap(([page, commands]) =>
  Object.entries(commands).map(([begin, entry]) => ({
    page,
    begin,
    entry,
    name: `${page}: ${begin}`,
    blocks: blocks.filter((block) => block.page === page && keyOf(block) === begin),
  })),
);

describe('the commands of the documents', () => {
  test('are all in the table that says who runs them, and nothing else is', () => {
    expect(blocks.filter((block) => keyOf(block) === undefined)).toEqual([]);
    expect(listed.filter((each) => each.blocks.length !== 1).map(({ name }) => name)).toEqual([]);
    expect(blocks.length).toBeGreaterThan(50);
  });

  test('are run by tests that name their page, read their section, and record what they ran', async () => {
    const wrong: string[] = [];
    for (const { page, begin, name, entry, blocks: of } of listed) {
      if (!('by' in entry)) continue;
      const text = existsSync(ROOT + entry.by) ? await readFile(ROOT + entry.by, 'utf8') : '';
      const reads = of.flatMap(({ section }) => [`'${section}'`, `"${section}"`, begin]);
      const isRead = of.every(({ isStep }) => !isStep) || reads.some((each) => text.includes(each));
      const isRecorded = text.includes(`recordCommands('${entry.by}')`);
      if (!text.includes(page) || !isRead || !isRecorded) wrong.push(`${entry.by} does not run ${name}`);
    }
    expect(wrong).toEqual([]);
  });

  test('are excepted line by line, and no line is excepted that is not there', () => {
    const absent = listed.flatMap(({ name, entry, blocks: of }) =>
      Object.keys('by' in entry ? (entry.except ?? {}) : {})
        .filter((begin) => of.flatMap(({ lines }) => lines).filter((line) => line.startsWith(begin)).length !== 1)
        .map((begin) => `${name}: ${begin}`),
    );
    expect(absent).toEqual([]);
  });

  test('are not run for a reason whose tests exist', () => {
    const named = listed.flatMap(({ entry }) => ('not' in entry ? (entry.not.match(/\S+\.test\.ts/g) ?? []) : []));
    expect(named.filter((path) => !existsSync(ROOT + path))).toEqual([]);
    expect(named).toContain('test/e2e/start.test.ts');
  });
});
