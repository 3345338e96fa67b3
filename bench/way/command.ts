import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { z } from 'zod';
import { type CheckoutLab, inCheckoutLab } from '../checkout-lab.ts';
import { watching } from '../host-watch.ts';
import { editHosts } from '../hosts.ts';
import type { Bench } from '../options.ts';
import { parkHosts } from '../temper-life.ts';

const HERE = fileURLToPath(new URL('../..', import.meta.url));
const RECORDER = fileURLToPath(new URL('./record-calls.ts', import.meta.url));
const PROCESSES = ['bridge', 'workers'] as const;
/** After this time without another file, every thread has written its own. */
const QUIET_MS = 5_000;

const endpointsSchema = z.object({
  kubeconfig: z.string(),
  testImage: z.object({ url: z.string(), checksum: z.string(), checksumType: z.literal('sha256') }),
  bmc: z.object({ username: z.string(), password: z.string() }),
});
const machinesSchema = z.array(z.object({ name: z.string(), bmcAddress: z.string(), bootMACAddress: z.string() }));
/** Between two signals in which nothing changes; longer than the interval of each sweep. */
const REST_MS = 75_000;
const filesSchema = z.array(z.string());

/** Which files run between a change of spec.image and the status `provisioned` that answers it, on real Ironic. */
export function addWayCommand(program: Command, { interrupt, say, inFolder }: Bench): void {
  program
    .command('way')
    .description('The source files that run between a change of spec.image and the status that answers it.')
    .argument('[checkouts...]', 'checkouts to measure, with their packages installed; default: this one')
    .option('--dir <folder>', 'folder of the labs, which is kept; default: a temporary folder')
    .action((checkouts: readonly string[], options: { readonly dir?: string }) =>
      inFolder(options.dir, async (dir) => {
        for (const [index, root] of (checkouts.length === 0 ? [HERE] : checkouts).entries()) {
          say(root);
          const { ran, atRest } = await filesOnTheWay(resolve(root), join(dir, String(index)), interrupt);
          const way = ran.filter((file) => !atRest.has(file));
          const lines = way.map((file) => `  ${file}\n`).join('');
          process.stdout.write(`${root}: ${ran.length} files ran, ${way.length} of them not at rest:\n${lines}`);
        }
      }),
    );
}

/** Source files, relative to the checkout. */
interface Way {
  /** Those of which a function ran between the change and its answer. */
  readonly ran: readonly string[];
  /** The same while nothing changed, afterwards. */
  readonly atRest: ReadonlySet<string>;
}

async function filesOnTheWay(root: string, dir: string, interrupt: AbortSignal): Promise<Way> {
  const calls = join(dir, 'calls');
  await mkdir(calls, { recursive: true });
  process.env['NODE_OPTIONS'] = `--require=${RECORDER}`;
  process.env['TEMPER_BENCH_CALLS'] = calls;
  return inCheckoutLab({ root, dir: join(dir, 'lab') }, ['--hosts', '1'], interrupt, async (found) => {
    const endpoints = endpointsSchema.parse(found.endpoints);
    const machines = machinesSchema.parse(JSON.parse(await found.temper('machines', '--output', 'json')));
    const names = machines.map(({ name }) => name);
    await parkHosts({ ...found, endpoints }, machines);
    await takeCalls(found, calls, 1);
    await watching(endpoints.kubeconfig, async (kube, watch) => {
      await editHosts(kube, machines, { online: true, image: endpoints.testImage });
      await watch.all(names, 'provisioned');
    });
    const ran = await takeCalls(found, calls, 2);
    await sleep(REST_MS);
    const atRest = await takeCalls(found, calls, 3);
    return { ran: within(root, ran), atRest: new Set(within(root, atRest)) };
  });
}

/** The product's files of a checkout, relative to it. */
const within = (root: string, files: readonly string[]): readonly string[] =>
  files
    .flatMap((file) => (file.startsWith(`${root}/`) ? [file.slice(root.length + 1)] : []))
    .filter((file) => !/^(?:node_modules|bench)\//.test(file))
    .toSorted();

/** The files that ran in any thread since the time before. */
async function takeCalls(lab: CheckoutLab, folder: string, time: number): Promise<readonly string[]> {
  const pids = PROCESSES.map((name) => {
    const pid = lab.pidOf(name);
    if (pid === undefined) throw new Error(`the lab has no process ${name}`);
    return pid;
  });
  for (const pid of pids) process.kill(pid, 'SIGWINCH');
  const written = async (): Promise<readonly string[]> =>
    (await readdir(folder)).filter((file) => pids.some((pid) => file.startsWith(`${pid}-${time}-`)));
  let before: readonly string[] = [];
  for (;;) {
    await sleep(QUIET_MS);
    const now = await written();
    const isFromAll = pids.every((pid) => now.includes(`${pid}-${time}-0.json`));
    if (isFromAll && now.length === before.length) break;
    before = now;
  }
  const files = await Promise.all(
    before.map(async (file) => filesSchema.parse(JSON.parse(await readFile(join(folder, file), 'utf8')))),
  );
  return [...new Set(files.flat())];
}
