import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { openSession } from '../lab/supervisor/session.ts';
import { startOperators } from '../lab/upstream/operators.ts';
import { removeWebhooks } from '../lab/webhooks.ts';
import { kubectl } from '../test/e2e/support/hosts.ts';
import type { TestLab } from '../test/e2e/support/lab.ts';
import { letFail } from '../test/e2e/support/metal.ts';
import { forgetRecorded, recorded } from '../test/e2e/support/recorded.ts';
import { machineOfHost } from '../test/nightly/take-over/hosts.ts';
import { start, startRecord } from '../test/nightly/take-over/start.ts';
import { CLUSTER } from '../test/nightly/take-over/story.ts';
import {
  changedNodes,
  changedObjects,
  changing,
  lookAt,
  namesOf,
  type Stored,
  storedIn,
  type WayBack,
} from '../test/nightly/take-over/way-back.ts';

const USAGE = `Usage: node scripts/record-way-back.ts OPERATORS FOLDER

Temper takes over the lab of test/nightly/take-over, works in it, and is uninstalled; then the operators of Metal3 that
lab/upstream/build.sh has built in OPERATORS go on. What they do is kept in test/nightly/take-over/way-back.json.
FOLDER is the lab's, and stays.
`;

const [, , operators, folder] = process.argv;
if (operators === undefined || folder === undefined) {
  process.stderr.write(USAGE);
  process.exit(2);
}
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const RECORD = join(ROOT, 'test/nightly/take-over/way-back.json');
/** Three of the longest intervals at which baremetal-operator looks at a host. */
const WATCHED_S = 180;
/** The way back happens meanwhile. */
const UNDER_WAY_MS = 240_000;
const say = (line: string): void => void process.stderr.write(`${new Date().toISOString()} ${line}\n`);

const dir = resolve(folder);
await rm(dir, { recursive: true, force: true });
await mkdir(dir, { recursive: true });
await startRecord(dir, async () => undefined);
const lab = await start(dir, { temperEnv: { MAX_PROVISIONING_RETRIES: '1', IRONIC_SWEEP_INTERVAL: '5s' } });
try {
  say('Temper has started');
  await work(lab);
  for (const name of ['bridge', 'workers']) await lab.kill(name, 'SIGTERM');
  await forgetRecorded(lab);
  say('Temper has ended');
  const [left, before] = [await lookAt(lab), await storedIn(lab)];
  const said = await uninstall(lab);
  const after = await storedIn(lab);
  const uninstalled = { said, changed: changedObjects(before, after) };

  const session = await openSession({ dir: join(dir, 'operators'), report: (name, what) => say(`${name} ${what}`) });
  try {
    const { kubeconfig, ...ironic } = lab.endpoints;
    await startOperators(session, { folder: resolve(operators), kubeconfig, ironic });
    say('the operators run');
    await sleep(WATCHED_S * 1_000);
    const back = { seconds: WATCHED_S, ...(await seen(lab, after)) };
    say('hosts go on');
    const names = await namesOf(lab);
    await forgetRecorded(lab);
    await goOn(lab);
    // A host that is attached again gets another node.
    const on = { look: await lookAt(lab), requests: await changing(lab, new Map([...names, ...(await namesOf(lab))])) };
    const record: WayBack = { left, uninstalled, back, on };
    await writeFile(RECORD, `${JSON.stringify(record, undefined, 2)}\n`);
  } finally {
    await session.close();
  }
} finally {
  await lab.stop();
}

/** Temper deploys hosts, one of them until after its end, and adds a machine to the cluster. */
async function work(lab: TestLab): Promise<void> {
  for (const name of ['inspecting', 'deprovisioning']) await state(lab, name, 'available');
  for (const name of ['plain', 'free-on']) await deploy(lab, name, 'by-temper');
  await scale(lab, 3);
  await forgetRecorded(lab);
  await letFail(lab, machineOfHost('free-again'), { kind: 'slow-step', milliseconds: UNDER_WAY_MS, times: 1 });
  await edit(lab, 'free-again', { image: imageOf(lab, 'under-way') });
  await state(lab, 'free-again', 'provisioning');
  while ((await recorded(lab)).kinds['provision'] === undefined) await sleep(500);
}

async function seen(lab: TestLab, before: Stored) {
  const now = await storedIn(lab);
  return {
    look: await lookAt(lab),
    kinds: (await recorded(lab)).kinds,
    requests: await changing(lab, await namesOf(lab)),
    changed: changedObjects(before, now),
    nodes: changedNodes(before, now),
  };
}

/** As on the page; the lab has processes instead of Deployments, and URLs instead of Services. */
async function uninstall({ endpoints, dir }: TestLab): Promise<string[]> {
  await removeWebhooks(endpoints.kubeconfig);
  const words = ['uninstall', '--for-metal3', '--confirm', 'temper-system', '--dir', dir];
  const { stdout } = await execa(process.execPath, [join(ROOT, 'scripts/temper.mjs'), ...words], {
    env: { KUBECONFIG: endpoints.kubeconfig },
  });
  return stdout.split('\n');
}

async function goOn(lab: TestLab): Promise<void> {
  await state(lab, 'free-again', 'provisioned');
  await deploy(lab, 'plain', 'by-operators');
  await edit(lab, 'off', { online: true });
  await shows(lab, 'off', '.status.poweredOn', 'true');
  await kubectl(lab, ['annotate', 'bmh', 'detached', 'baremetalhost.metal3.io/detached-']);
  await shows(lab, 'detached', '.status.operationalStatus', 'OK');
  const stringData = lab.endpoints.bmc;
  await kubectl(lab, ['patch', 'secret', 'wrong-password-bmc', '--type=merge', '-p', JSON.stringify({ stringData })]);
  await state(lab, 'wrong-password', 'available');
  await kubectl(lab, ['delete', 'bmh', 'free-on', 'external', '--timeout=900s']);
  await scale(lab, 2);
  await scale(lab, 3);
}

function edit(lab: TestLab, name: string, spec: object): Promise<string> {
  return kubectl(lab, ['patch', 'bmh', name, '--type=merge', '-p', JSON.stringify({ spec })]);
}

function shows(lab: TestLab, name: string, path: string, value: string): Promise<string> {
  return kubectl(lab, ['wait', `bmh/${name}`, `--for=jsonpath={${path}}=${value}`, '--timeout=900s']);
}

function state(lab: TestLab, name: string, value: string): Promise<string> {
  return shows(lab, name, '.status.provisioning.state', value);
}

async function deploy(lab: TestLab, name: string, label: string): Promise<void> {
  const image = imageOf(lab, label);
  await edit(lab, name, { image });
  await shows(lab, name, '.status.provisioning.image.url', image.url);
  await state(lab, name, 'provisioned');
}

function imageOf({ endpoints }: TestLab, label: string) {
  const url = `${endpoints.images}/${label}-1MiB.raw`;
  return { url, checksum: `${url}.sha256`, checksumType: 'sha256' };
}

/** Changes the number of workers, and waits for their Nodes and for the hosts that are given back. */
async function scale(lab: TestLab, workers: number): Promise<void> {
  await kubectl(lab, ['scale', `machinedeployment/${CLUSTER}`, `--replicas=${workers}`]);
  for (const count of ['replicas', 'readyReplicas'])
    await kubectl(lab, [
      'wait',
      `machinedeployment/${CLUSTER}`,
      `--for=jsonpath={.status.${count}}=${workers}`,
      '--timeout=900s',
    ]);
  if (workers < 3) await freeHost(lab);
}

async function freeHost(lab: TestLab): Promise<void> {
  const path = 'jsonpath={range .items[*]}{.status.provisioning.state}{.spec.consumerRef.name}{"\\n"}{end}';
  const hosts = ['get', 'bmh', '-l', `cluster=${CLUSTER}`, '-o', path];
  while (!(await kubectl(lab, hosts)).split('\n').includes('available')) await sleep(1_000);
}
