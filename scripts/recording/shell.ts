import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';

/** A shell that keeps commands and their output, as a terminal shows them. */
export interface RecordedShell {
  /** Runs a command and keeps it. It must succeed, unless `mayFail`. Returns what it printed. */
  readonly show: (command: string, mayFail?: boolean) => Promise<string>;
  /** Keeps a comment. */
  readonly note: (words: string) => void;
  /** Runs a command that is not kept. */
  readonly run: (command: string) => Promise<string>;
  /** Repeats a command that is not kept, until its output matches. */
  readonly until: (command: string, wanted: RegExp) => Promise<void>;
  /** What was kept since the last call. */
  readonly take: () => string;
}

const PATIENCE_MS = 300_000;
/** Between two looks. */
const PAUSE_MS = 1_000;

/** `prelude`: definitions that each command may use. */
export function recordedShell(
  cwd: string,
  env: Readonly<Record<string, string>>,
  prelude: readonly string[],
): RecordedShell {
  const kept: string[] = [];
  const ask = (command: string, reject: boolean) =>
    execa('bash', ['--norc', '-c', [...prelude, command].join('\n')], { cwd, env, all: true, stdin: 'ignore', reject });
  return {
    async show(command, mayFail = false) {
      const { all } = await ask(command, !mayFail);
      // kubectl fills columns with spaces.
      kept.push(`$ ${command}`, ...(all === '' ? [] : [all.replaceAll(/ +$/gm, '')]));
      return all;
    },
    note: (words) => void kept.push(`# ${words}`),
    run: async (command) => (await ask(command, true)).all,
    async until(command, wanted) {
      const deadline = Date.now() + PATIENCE_MS;
      for (;;) {
        const { all } = await ask(command, false);
        if (wanted.test(all)) return;
        if (Date.now() > deadline) throw new Error(`${command} never printed ${String(wanted)}, but: ${all}`);
        await sleep(PAUSE_MS);
      }
    },
    take: () => kept.splice(0).join('\n'),
  };
}
