import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { linkCheckout } from './checkout.ts';
import { leftoversOf } from './leftovers.ts';

/** `npm start` as a user runs it, in a folder of its own. */
export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Longer than the command itself waits for its two stories. */
export const PATIENCE = { timeout: 2_000_000 };

/** A command that only the hosts' story suggests. */
export const HOSTS_STORY = 'get bmh --watch';

const npmStart = (cwd: string, temporary: string, args: readonly string[]) =>
  execa('npm', ['start', '--silent', '--', ...args], {
    cwd,
    reject: false,
    all: true,
    // npm itself would leave its compile cache there.
    env: { TMPDIR: temporary, NODE_DISABLE_COMPILE_CACHE: '1' },
    // A terminal sends Ctrl-C to all processes of the command; here a process group replaces the terminal.
    detached: true,
  });
type Command = ReturnType<typeof npmStart>;

/** What the command has printed when it matches, or when the command has ended. */
export async function saying(command: Command, what: RegExp): Promise<string> {
  let said = '';
  await new Promise<void>((resolve) => {
    command.all.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (what.test(said)) resolve();
    });
    void command.then(() => resolve());
  });
  return said;
}

export interface Starter {
  readonly dir: string;
  /** Where the command runs. */
  readonly checkout: string;
  run(lab: string, ...args: readonly string[]): Command;
  /** With `--once`. */
  start(lab: string, ...args: readonly string[]): Command;
  leftovers(lab: string): Promise<readonly string[]>;
  /** The lab of a test that timed out would disturb the next one. */
  endRunning(): Promise<void>;
  remove(): Promise<void>;
}

export const pressCtrlC = ({ pid }: Command): boolean => process.kill(-(pid ?? 0), 'SIGINT');

export async function openStarter(): Promise<Starter> {
  const dir = await mkdtemp(join(tmpdir(), 'temper-e2e-start-'));
  /** The folder for temporary files of the command; it must be empty afterwards. */
  const temporary = join(dir, 'tmp');
  await mkdir(temporary);
  const checkout = await linkCheckout(ROOT, dir);
  let running: Command | undefined;
  const run = (lab: string, ...args: readonly string[]): Command => {
    const command = npmStart(checkout, temporary, ['--dir', join(dir, lab), ...args]);
    running = command;
    void command.finally(() => {
      running = undefined;
    });
    return command;
  };
  return {
    dir,
    checkout,
    run,
    start: (lab, ...args) => run(lab, '--once', ...args),
    leftovers: (lab) => leftoversOf({ mark: dir, lab: join(dir, lab), temporary }),
    async endRunning() {
      if (running === undefined) return;
      pressCtrlC(running);
      await running;
    },
    remove: () => rm(dir, { recursive: true, force: true }),
  };
}

/** The lines of the last table that end with a Node's version. */
export const nodesIn = (said: string | undefined, role: 'control plane' | 'worker'): readonly string[] =>
  [...(said ?? '').matchAll(/^│ (demo-\S+) +│ (control plane|worker) +│ Running +│ host-[6-9] +│ ✔ v1\.34\.4 /gm)]
    .filter(([, , found]) => found === role)
    .map(([, node = '']) => node);

/** In the whole output: nothing was registered, inspected or deployed again. */
export const WORK_ON_HOSTS = /host-\d.*(registering|inspecting|provisioning|deprovisioning)/;

/**
 * The lines that look like an error, but for links to runs in error, the tutorial's host with a mistake, and what
 * Cluster API says of a machine: on a slow computer its probe of a new API server fails at first, and a Metal3Data is
 * seen later than its claim.
 */
export const alarming = (printed: string): readonly string[] =>
  printed
    .split('\n')
    .filter((line) => /\b(error|fail\w*|warn\w*|refused|denied)\b/i.test(line) && !HARMLESS.test(line));
const HARMLESS =
  /\/workflows\?query=|\bmy-host\b|^ *[\d.]+ s +demo-\S+ [^:]*: (?!\* Associate|failed to (?:set|update) (?!.*: Metal3Data is not found$))/;
