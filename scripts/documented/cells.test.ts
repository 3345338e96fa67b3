import { glob, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../cli/commands.ts';
import { commandsInCells, problemOf } from './cells.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

test('the commands in the cells of tables are commands of their programs, with options that these know', async () => {
  const wrong: string[] = [];
  let count = 0;
  for await (const page of glob(['*.md', 'docs/**/*.md', 'deploy/**/*.md'], { cwd: ROOT })) {
    for (const command of commandsInCells(await readFile(ROOT + page, 'utf8'))) {
      const problem = await problemOf(command, COMMANDS);
      if (problem !== undefined) wrong.push(`${page}: ${command}: ${problem}`);
      count += 1;
    }
  }
  expect(wrong).toEqual([]);
  expect(count).toBeGreaterThan(150);
});

test('a command in a cell is found with its pipe; blocks of commands are no cells', () => {
  const page = '| a | `npx temper explain host A` and `kubectl get bmh \\| grep a` |\n```\n| `kubectl block` |\n```\n';
  expect(commandsInCells(page)).toEqual(['npx temper explain host A', 'kubectl get bmh | grep a']);
});

test.each([
  ['npx temper explian host A', 'temper has no command explian'],
  ['npx temper explain rack A', "'rack' is invalid"],
  ['npx temper release host A', "required option '--reason <text>' not specified"],
  ['npx temper plan host A --force', "unknown option '--force'"],
  ['npx temper lab up --provisoner fixture', 'temper lab does not know --provisoner'],
  ['kubectl annotate bmh A --reason=b', 'kubectl annotate does not know --reason'],
  ['kubectl get bmh | xargs kubectl log --tail 5', 'kubectl log is not among'],
  ['temporal workflow list --filter x', 'temporal workflow list does not know --filter'],
  ['npx temper temporal workflow lst', 'temporal workflow lst is not among'],
])('%s is found to be wrong', async (command, problem) => {
  expect(await problemOf(command, COMMANDS)).toContain(problem);
});
