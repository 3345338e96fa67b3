import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Option } from 'commander';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { COMMANDS } from './commands.ts';

/** docs/command-line.md has every command and every option, and nothing else. */
const PAGE = readFileSync(new URL('../docs/command-line.md', import.meta.url), 'utf8');

/** The rows below this head, by cell. */
function rowsBelow(head: string): readonly (readonly string[])[] {
  const [, table = ''] = PAGE.split(`\n${head}\n`);
  const rows = table.split('\n').slice(1);
  const end = rows.findIndex((row) => !row.startsWith('|'));
  return rows.slice(0, end).map((row) => row.split(/(?<!\\)\|/).map((cell) => cell.trim()));
}
const namesIn = (cell: string): readonly string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

const commandRows = rowsBelow('| Command | Does | More |');
const optionRows = rowsBelow('| Option | Of | Default | Means |');
const commandsWhere = (is: (row: string) => boolean): readonly string[] =>
  commandRows.filter((row) => is(row.join(' '))).flatMap(([, names = '']) => namesIn(names));

/** The commands that the program itself lists. */
async function listedBy(main: string): Promise<readonly string[]> {
  const { stdout } = await execa(process.execPath, [fileURLToPath(new URL(main, import.meta.url)), 'help']);
  return [...stdout.matchAll(/^ {2}([\w-]+) {2}/gm)].map(([, name = '']) => name).toSorted();
}

describe('the table of commands', () => {
  test('has each command of temper, once', async () => {
    expect(commandsWhere(() => true).toSorted()).toEqual(await listedBy('main.ts'));
  });

  test('says which commands the plugin of kubectl lacks', async () => {
    const lacking = (row: string): boolean => row.includes('not in the plugin of kubectl');
    expect(commandsWhere((row) => !lacking(row)).toSorted()).toEqual(await listedBy('plugin.ts'));
  });
});

describe('the table of options', () => {
  const steering = commandsWhere((row) => /\[(?:steering|approvals)\.md\]/.test(row));
  const written = optionRows.flatMap(([, flags = '', of = '', byDefault = '']) => {
    const [some = '', but = ''] = of.split(' except ');
    const commands = some === 'all' ? Object.keys(COMMANDS) : namesIn(some);
    const all = some.includes('steering commands') ? [...commands, ...steering] : commands;
    return all
      .filter((command) => !namesIn(but).includes(command))
      .map((command) => `${command} ${namesIn(flags).join()}: ${byDefault.replaceAll('`', '')}`);
  });

  /** As the table has it. */
  function defaultOf({ mandatory, defaultValue }: Option): string {
    if (mandatory) return 'required';
    return defaultValue === userInfo().username ? 'your user name' : z.string().default('').parse(defaultValue);
  }

  test('has each option of each command, with its default', async () => {
    const taken = await Promise.all(
      Object.entries(COMMANDS).map(async ([name, { line }]) =>
        ((await line?.())?.options ?? []).map((option) => `${name} ${option.flags}: ${defaultOf(option)}`),
      ),
    );
    expect(written.toSorted()).toEqual(taken.flat().toSorted());
    expect(written.length).toBeGreaterThan(50);
  });
});
