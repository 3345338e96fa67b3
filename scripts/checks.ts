import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { execa } from 'execa';
import PQueue from 'p-queue';
import { SOURCES } from '../deploy/image/stage.ts';

/** A check that is not a test: a command that exits 0. */
export interface Check {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
}

const LINTED = [...SOURCES, 'lab', 'cli', 'scripts', 'bench', 'test', 'deploy', 'vitest.config.ts'];

/** The checks without a server, ordered by how quickly they find a mistake. */
export const STATIC_CHECKS: readonly Check[] = [
  { name: 'format', command: ['biome', 'check', '.'] },
  { name: 'lint', command: ['oxlint', '--type-aware', ...LINTED] },
  { name: 'types', command: ['tsc', '-p', '.'] },
  { name: 'unused code', command: ['knip'] },
  { name: 'generated files', command: ['node', 'scripts/generate-all.ts', '--check'] },
];

/** Runs a check with its output shown; true when it passed. */
export async function passes({ name, command: [file, ...args], env = {} }: Check): Promise<boolean> {
  process.stdout.write(`\n=== ${name}: ${[file, ...args].join(' ')}\n`);
  const { exitCode } = await execa(file, args, { preferLocal: true, stdio: 'inherit', reject: false, env });
  if (exitCode !== 0) process.stdout.write(`=== ${name} FAILED\n`);
  return exitCode === 0;
}

/** Most checks use one core, and the machines that run them have two or more. */
const AT_ONCE = 2;

/** The output of checks that passed. */
const OUTPUTS = join(import.meta.dirname, '..', 'node_modules', '.cache', 'temper', 'checks');

/**
 * Runs checks side by side, and shows of each when it ends its output, or, when it passed, the summary of its tests:
 * tests that pass have made programs warn. Returns the names of those that failed.
 */
export async function failedOf(
  checks: readonly Check[],
  { outputs = OUTPUTS, say = (text: string) => void process.stdout.write(text) } = {},
): Promise<readonly string[]> {
  const queue = new PQueue({ concurrency: AT_ONCE });
  const failed: string[] = [];
  await mkdir(outputs, { recursive: true });
  const run = async ({ name, command: [file, ...args], env = {} }: Check): Promise<void> => {
    const { exitCode, all } = await execa(file, args, { preferLocal: true, all: true, reject: false, env });
    const title = `\n=== ${name}: ${[file, ...args].join(' ')}\n`;
    if (exitCode !== 0) {
      failed.push(name);
      say(`${title}${all}\n=== ${name} FAILED\n`);
      return;
    }
    const output = join(outputs, `${name.replaceAll(' ', '-')}.log`);
    await writeFile(output, all);
    say(
      `${title}${summaryOf(all)}${all === '' ? '' : `passed; its output is in ${relative(process.cwd(), output)}\n`}`,
    );
  };
  await queue.addAll(checks.map((check) => () => run(check)));
  return failed;
}

/** What vitest counts at the end of its output; '' for other programs. */
function summaryOf(output: string): string {
  const at = output.lastIndexOf('\n Test Files ');
  return at === -1 ? '' : `${output.slice(at + 1).trimEnd()}\n`;
}
