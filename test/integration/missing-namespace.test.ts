import { fileURLToPath } from 'node:url';
import { Worker } from '@temporalio/worker';
import { execa } from 'execa';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, inject, test, vi } from 'vitest';
import { allocatePorts } from '../../lab/supervisor/ports.ts';
import { bridgeConfig, readConfig } from '../../platform/config/config.ts';
import { NODE_FLAGS } from '../../platform/node-flags.ts';
import { openTemporalAccess } from '../../platform/temporal/access/access.ts';
import { keepWorker } from '../../platform/temporal/worker.ts';
import { SERVER_NAME, type TemporalCertificates, temporalCertificates } from '../builders/temporal-certificates.ts';
import { openTemporalGateway, type TemporalGateway } from '../builders/temporal-gateway.ts';
import { createBareTemporalNamespace } from '../builders/temporal-namespace.ts';
import { openScene, PATIENCE, type Scene } from './bridge/harness.ts';
import { sharedControlPlane } from './control-plane.ts';

const MAIN = {
  bridge: fileURLToPath(new URL('../../k8s-bridge/main.ts', import.meta.url)),
  workers: fileURLToPath(new URL('../../workers/main.ts', import.meta.url)),
};
type Program = keyof typeof MAIN;
const PROGRAMS = ['bridge', 'workers'] as const;
const { temporalAddress, temporalNamespace } = sharedControlPlane();
const LATER = `${temporalNamespace}-later`;
/** A worker that failed was created anew each second. */
const OFTEN = 5;

let certificates: TemporalCertificates;
const gateways: TemporalGateway[] = [];
let scene: Scene;
beforeAll(async () => {
  certificates = await temporalCertificates('the CA');
  scene = await openScene({ ...sharedControlPlane(), temporalNamespace: LATER });
});
afterEach(() => void vi.restoreAllMocks());
afterAll(async () => {
  await scene.end();
  for (const gateway of gateways) await gateway.close();
});

/** Counts what a process asks Temporal for. */
async function openGateway(): Promise<TemporalGateway> {
  const gateway = await openTemporalGateway(temporalAddress, { server: certificates.server });
  gateways.push(gateway);
  return gateway;
}

const accessTo = ({ address }: TemporalGateway, namespace: string): Record<string, string> => ({
  TEMPORAL_ADDRESS: address,
  TEMPORAL_NAMESPACE: namespace,
  TEMPORAL_TLS_SERVER_NAME: SERVER_NAME,
  TEMPORAL_TLS_SERVER_CA_CERT_DATA: certificates.authority.cert,
});

const callsOf = ({ calls }: TemporalGateway, name: string): number =>
  calls.filter(({ method }) => method === name).length;

async function start(program: Program) {
  const gateway = await openGateway();
  const { ports } = await allocatePorts({ health: {}, metrics: {} });
  const { PATH = '' } = process.env;
  const child = execa(process.execPath, [...NODE_FLAGS[program], MAIN[program]], {
    env: {
      PATH,
      ...accessTo(gateway, LATER),
      KUBECONFIG: inject('kubeconfig'),
      PROVISIONER: 'fixture',
      WATCH_NAMESPACE: scene.namespace,
      POD_NAMESPACE: scene.namespace,
      HEALTH_ADDR: `127.0.0.1:${ports.health}`,
      METRICS_ADDR: `127.0.0.1:${ports.metrics}`,
      METRICS_INSECURE: 'true',
      WEBHOOK_PORT: '0',
    },
    extendEnv: false,
    reject: false,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let log = '';
  child.stdout.on('data', (chunk: Buffer) => void (log += chunk.toString()));
  const textAt = (url: string): Promise<string> =>
    fetch(url).then(
      (response) => response.text(),
      () => '',
    );
  return {
    ready: () => textAt(`http://127.0.0.1:${ports.health}/readyz`),
    /** How often the process looked whether the namespace is its own. */
    looks: () => callsOf(gateway, 'DescribeWorkflowExecution'),
    /** Number of requests with which the creation of a worker begins. A probe of /readyz makes it, too. */
    creations: () => callsOf(gateway, 'DescribeNamespace'),
    /** Number of workers that Temporal's SDK has started, by queue. */
    async started(): Promise<Record<string, number>> {
      const text = await textAt(`http://127.0.0.1:${ports.metrics}/metrics`);
      const found = text.matchAll(/^temporal_worker_start_total\{.*task_queue="([^"]+)".*\} (\d+)$/gm);
      return Object.fromEntries([...found].map(([, queue = '', count]) => [queue, Number(count)]));
    },
    /** Lines of the log about the namespace. */
    said: () => log.split('\n').filter((line) => /namespace/i.test(line)),
    stop(): Promise<unknown> {
      child.kill('SIGKILL');
      return child;
    },
  };
}

const QUEUES: Readonly<Record<Program, readonly string[]>> = {
  bridge: ['bridge'],
  workers: ['temper', 'temper-ironic', 'temper-messages', 'temper-nodes', 'temper-wait'],
};

test('bridge and workers create no worker before their Temporal namespace exists, and one for each queue then', async () => {
  const processes = { bridge: await start('bridge'), workers: await start('workers') };
  try {
    for (const program of PROGRAMS) {
      const { ready, looks, creations, said } = processes[program];
      const advice = `the Temporal namespace ${LATER} does not exist: create it`;
      await expect.poll(looks, PATIENCE).toBeGreaterThanOrEqual(OFTEN);
      expect(creations()).toBe(0);
      await expect.poll(ready, PATIENCE).toContain(advice);
      expect(said()).toEqual([expect.stringContaining(advice)]);
    }
    await scene.createHost('waiting');

    await createBareTemporalNamespace(temporalAddress, LATER);
    await expect.poll(async () => (await scene.host('waiting'))?.status?.provisioning?.state, PATIENCE).toBeTruthy();
    for (const program of PROGRAMS) {
      const running = processes[program];
      await expect.poll(running.ready, PATIENCE).toMatch(/^ok$/m);
      expect(await running.started()).toEqual(Object.fromEntries(QUEUES[program].map((queue) => [queue, 1])));
    }
  } finally {
    await Promise.all(PROGRAMS.map((program) => processes[program].stop()));
  }
});

test('a worker is created once Temporal shows its namespace to it, and the log has the reason why not once', async () => {
  const create = vi.spyOn(Worker, 'create');
  const gateway = await openGateway();
  gateway.demand({ server: certificates.server, forbidden: ['DescribeNamespace'] });
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const config = readConfig(bridgeConfig, accessTo(gateway, temporalNamespace));
  const temporal = await openTemporalAccess(config, log, () => undefined);
  const stopping = new AbortController();
  let isRunning = false;
  const options = { taskQueue: 'of-a-test', activities: { nothing: () => Promise.resolve() } };
  const working = keepWorker(
    { temporal, log, options, signalFailing: () => Promise.resolve(), onRunning: (is) => void (isRunning = is) },
    stopping.signal,
  );
  await expect.poll(() => gateway.refused.length, PATIENCE).toBeGreaterThanOrEqual(OFTEN);
  expect(create).not.toHaveBeenCalled();
  expect(lines).toEqual([expect.stringContaining('Request unauthorized')]);

  gateway.demand({ server: certificates.server });
  await expect.poll(() => isRunning, PATIENCE).toBe(true);
  expect(create).toHaveBeenCalledTimes(1);
  stopping.abort();
  await working;
  await temporal.close();
});
