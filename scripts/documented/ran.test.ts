import { glob, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { blocksOf } from './blocks.ts';
import { linesNotRun } from './ran.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PLAN = { lines: ['npx temper plan host $host', 'npx temper plan host $host --delete'] };

describe('a line of a document', () => {
  test('is not run by a longer command that begins with it', () => {
    expect(linesNotRun(PLAN, 'npx temper plan host $host --delete\n')).toEqual(['npx temper plan host $host']);
    expect(linesNotRun(PLAN, 'npx temper plan host $host\n')).toEqual(['npx temper plan host $host --delete']);
  });

  test('is run on its own, in a list, with a time limit, and with other lines around it', () => {
    const commands =
      'x=1\n  { npx temper plan host $host --delete; } > log &\ntimeout 5 npx temper plan host $host || true';
    expect(linesNotRun(PLAN, commands)).toEqual([]);
  });

  test('of any block is found again when the whole block is run', async () => {
    const missing: string[] = [];
    for await (const page of glob(['*.md', 'docs/**/*.md', 'deploy/**/*.md'], { cwd: ROOT })) {
      const text = await readFile(ROOT + page, 'utf8');
      for (const block of blocksOf(page, text)) missing.push(...linesNotRun(block, text));
    }
    expect(missing).toEqual([]);
  });
});

test('the lines of a block are its commands: comments and empty lines are none', () => {
  const [block] = blocksOf('page.md', '## How\n\n```sh\n# first\nkubectl get bmh  # all\n\nkubectl get m3m\n```\n');
  expect(block).toMatchObject({ section: 'How', isStep: true, lines: ['kubectl get bmh  # all', 'kubectl get m3m'] });
});
