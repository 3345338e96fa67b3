import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, expect, type RunnerTask } from 'vitest';
import { DOC_COMMANDS } from '../doc-commands.ts';
import { type Block, blocksOf, keyOf } from './blocks.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Records what a test file runs of the documents' commands. */
export interface Recorder {
  /** The same shell; commands that succeeded in it are recorded. */
  shell<Rest extends readonly unknown[], Printed>(
    run: (commands: string, ...rest: Rest) => Promise<Printed>,
  ): (commands: string, ...rest: Rest) => Promise<Printed>;
  /** These commands were run in another way. */
  ran(commands: string): void;
  /** The line that begins like this cannot be run on this computer. The test prints why. */
  cannotRun(begin: string): void;
}

/**
 * Called at the top of a test file: after its tests, the file fails with the lines that the table of documents'
 * commands gives to it and that it did not run. A failed test, or a part of the file alone (`-t`), says enough without
 * that.
 */
export function recordCommands(file: string): Recorder {
  const ran: string[] = [];
  const impossible: string[] = [];
  let tests: readonly RunnerTask[] = [];
  beforeEach(({ task }) => {
    tests = task.file.tasks.flatMap(testsIn);
  });
  afterAll(() => {
    const isSkipped = tests.map(({ result }) => result?.state === 'skip');
    if (!tests.every(({ result }, at) => result?.state === 'pass' || isSkipped[at])) return;
    const notRun = blocksFor(file, isSkipped.includes(true))
      .flatMap((block) => linesNotRun(block, ran.join('\n')))
      .filter((line) => !impossible.some((begin) => line.startsWith(begin)));
    expect(notRun, `${file} does not run these lines of the documents: ${notRun.join('; ')}`).toEqual([]);
  });
  return {
    shell:
      (run) =>
      async (commands, ...rest) => {
        const printed = await run(commands, ...rest);
        ran.push(commands);
        return printed;
      },
    ran: (commands) => void ran.push(commands),
    cannotRun: (begin) => void impossible.push(begin),
  };
}

const testsIn = (task: RunnerTask): readonly RunnerTask[] => ('tasks' in task ? task.tasks.flatMap(testsIn) : [task]);

/** The blocks that a test file runs, with the lines that the table excepts left out. By day, some tests are skipped. */
function blocksFor(file: string, isDay: boolean): readonly Block[] {
  return Object.entries(DOC_COMMANDS).flatMap(([page, entries]) => {
    if (!Object.values(entries).some((entry) => 'by' in entry && entry.by === file)) return [];
    return blocksOf(page, readFileSync(ROOT + page, 'utf8')).flatMap((block) => {
      const entry = entries[keyOf(block) ?? ''];
      if (entry === undefined || !('by' in entry) || entry.by !== file || (isDay && entry.atNight)) return [];
      const excepted = Object.keys(entry.except ?? {});
      return [{ ...block, lines: block.lines.filter((line) => !excepted.some((begin) => line.startsWith(begin))) }];
    });
  });
}

/**
 * The lines of a block that are not in these commands. A line must be there to its end: with one more option it is
 * another command. A test may put it into a list or a pipe.
 */
export function linesNotRun({ lines }: Pick<Block, 'lines'>, commands: string): readonly string[] {
  return lines.filter((line) => {
    const words = line.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
    return !new RegExp(String.raw`(?<!\S)${words}[ \t]*(?:$|[;&|])`, 'm').test(commands);
  });
}
