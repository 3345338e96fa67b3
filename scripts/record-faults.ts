import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createResolver } from '../lab/binaries/resolve.ts';
import { createMissing } from '../lab/hosts/apply.ts';
import { exampleHosts } from '../lab/hosts/examples.ts';
import { type Lab, startLab } from '../lab/lab.ts';
import { openSession } from '../lab/supervisor/session.ts';
import { isInstalled } from '../test/builders/program.ts';
import { linkCheckout } from '../test/e2e/support/checkout.ts';
import { AT_FIRST, FAULTS, type Fault, type Step } from './recording/faults.ts';
import { ALERTS, ALERTS_FUNCTION, type Found, faultsPage, HOSTS } from './recording/faults-page.ts';
import { prometheus } from './recording/prometheus.ts';
import { type RecordedShell, recordedShell } from './recording/shell.ts';

/** `npm run recording:faults`: docs/finding-faults.md, from a lab in which the faults happen. */
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PAGE = join(ROOT, 'docs', 'finding-faults.md');
const say = (line: string): void => void process.stderr.write(`${new Date().toISOString()} ${line}\n`);

for (const [program, of] of [
  ['prometheus', 'prometheus'],
  ['jq', 'jq'],
] as const)
  if (!(await isInstalled(program, of, 'what alerts say'))) process.exit(1);

const folder = await realpath(await mkdtemp(join(tmpdir(), 'temper-faults-')));
const cwd = await linkCheckout(ROOT, folder);
const watch = await openSession({ dir: join(folder, 'prometheus') });
try {
  const lab = await startLab({
    dir: join(cwd, '.lab'),
    machines: 20,
    // As in the lab of `npm start`, whose folder is this one.
    temperEnv: { TEMPORAL_COMMAND: 'npx temper temporal' },
    onProgress: ({ kind, step }) => kind === 'done' && say(step),
  });
  try {
    const shell = await shellBeside(lab);
    await createMissing(lab.endpoints.kubeconfig, exampleHosts(lab));
    for (const command of AT_FIRST) await shell.run(command);
    const found: Found[] = [];
    for (const fault of FAULTS) found.push(await play(fault, lab, shell));
    await writeFile(PAGE, faultsPage(found, new Date().toISOString().slice(0, 10)).replaceAll(folder, '~'));
    say(PAGE);
  } finally {
    await lab.stop();
  }
} finally {
  await watch.close();
  await rm(folder, { recursive: true });
}

/** A shell in the folder of the lab, which reaches a Prometheus that watches it. */
async function shellBeside({ endpoints }: Lab): Promise<RecordedShell> {
  const { bridgeMetrics = '', workersMetrics = '', kubeconfig } = endpoints;
  const { prometheus: port } = await watch.ports({ prometheus: undefined });
  await watch.supervisor.start(
    await prometheus(watch.dir, {
      port,
      metrics: [bridgeMetrics, workersMetrics],
      soon: FAULTS.map(({ alert }) => alert),
    }),
  );
  const kubectl = dirname((await createResolver()('kubectl')).path);
  return recordedShell(
    cwd,
    {
      PATH: `${kubectl}${delimiter}${process.env['PATH']}`,
      KUBECONFIG: kubeconfig,
      PROMETHEUS: `http://127.0.0.1:${port}`,
      npm_config_loglevel: 'error',
    },
    [ALERTS_FUNCTION],
  );
}

async function play(fault: Fault, lab: Lab, shell: RecordedShell): Promise<Found> {
  say(fault.title);
  const take = async (step: Step, run: RecordedShell['show']): Promise<void> => {
    if ('run' in step) await run(step.run, step.mayFail);
    else if (step.does === 'ends') await lab.kill(step.server, 'SIGKILL');
    else {
      shell.note(`${step.server} is started again`);
      await lab.start(step.server);
    }
  };
  await shell.until(ALERTS, /^$/);
  for (const step of fault.steps) await take(step, shell.run);
  await shell.until(ALERTS, new RegExp(`^${fault.alert} `, 'm'));
  if (fault.shows !== undefined) await shell.until(HOSTS, fault.shows);
  await shell.show(ALERTS);
  await shell.show(HOSTS);
  const explained = await shell.show(`npx temper explain host ${fault.host}`);
  const diagnosis = shell.take();
  for (const step of fault.remedy(explained)) await take(step, shell.show);
  await shell.show(fault.wait);
  await shell.until(ALERTS, /^$/);
  await shell.show(ALERTS);
  return { fault, diagnosis, remedy: shell.take() };
}
