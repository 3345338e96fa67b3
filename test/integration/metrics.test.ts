import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { MetricDefinition } from '../../domain/metrics/definitions.ts';
import { allocatePorts } from '../../lab/supervisor/ports.ts';
import { METRICS_OF } from '../../platform/metrics/definitions.ts';
import { accountsOf } from './accounts.ts';
import { openScene, PATIENCE, type Scene } from './bridge/harness.ts';
import { sharedControlPlane } from './control-plane.ts';

/** No CA exists for a certificate that was created at the start. */
const trusting = new Agent({ connect: { rejectUnauthorized: false } });
/** The right of clients, and that of bridge and workers to check it. */
const ROLES = ['components/monitoring/reader.yaml', 'base/accounts.yaml'].map((file) =>
  fileURLToPath(new URL(`../../deploy/kubernetes/${file}`, import.meta.url)),
);
const BRIDGE = fileURLToPath(new URL('../../k8s-bridge/main.ts', import.meta.url));
const WORKERS = fileURLToPath(new URL('../../workers/main.ts', import.meta.url));

let scene: Scene;
let accounts: ReturnType<typeof accountsOf>;
/** Ends with the tests. */
let bridge: ReturnType<typeof startBridge>;
let url: string;

beforeAll(async () => {
  scene = await openScene(sharedControlPlane());
  accounts = accountsOf(scene.kube, inject('kubeconfig'));
  const documents = await Promise.all(ROLES.map((file) => readFile(file, 'utf8')));
  for (const document of documents.flatMap((text) => parseAllDocuments(text))) {
    const role = document.toJS() as { readonly kind: string };
    if (role.kind.startsWith('ClusterRole')) await accounts.create(accounts.rbacPath(role), role);
  }
  // Under another name than in an installation, whose rights other files look at.
  const bridgeToken = await accounts.tokenOf(scene.namespace, 'bridge-with-metrics');
  await accounts.bind(scene.namespace, 'bridge-with-metrics', 'temper-accounts');
  await accounts.bind(scene.namespace, 'bridge-with-metrics', 'cluster-view', VIEW);
  const { port } = (await allocatePorts({ port: {} })).ports;
  url = `https://127.0.0.1:${port}/metrics`;
  bridge = startBridge([`-metrics-addr=127.0.0.1:${port}`, '--namespace', scene.namespace], {
    KUBECONFIG: await accounts.kubeconfigOf(bridgeToken),
  });
});
afterAll(async () => {
  bridge.kill('SIGTERM');
  await bridge;
  await trusting.close();
  await scene.end();
});

/** Only the authorization of clients is tested here, not the rest of the bridge. */
const VIEW = {
  apiGroups: ['*'],
  resources: ['baremetalhosts', 'hardwaredata', 'dataimages', 'secrets', 'namespaces'],
  verbs: ['get', 'list', 'watch'],
};

const startBridge = (args: readonly string[], env: Record<string, string>) =>
  start(BRIDGE, ['-webhook-port=0', ...args], env);

function start(program: string, args: readonly string[], env: Record<string, string>) {
  const { PATH = '' } = process.env;
  const { temporalAddress, temporalNamespace } = sharedControlPlane();
  return execa(process.execPath, [program, '-health-addr=127.0.0.1:0', ...args], {
    env: { PATH, TEMPORAL_ADDRESS: temporalAddress, TEMPORAL_NAMESPACE: temporalNamespace, ...env },
    extendEnv: false,
    reject: false,
  });
}

async function scrape(token?: string): Promise<{ readonly status: number; readonly text: string }> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await request(url, { dispatcher: trusting, headers });
  return { status: response.statusCode, text: await response.body.text() };
}

const typesIn = (text: string): ReadonlyMap<string, string> =>
  new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]));

/** What the text does not have as it is defined: metrics, their types, and the labels of their series. */
function undefinedIn(text: string, definitions: Readonly<Record<string, MetricDefinition>>): readonly string[] {
  const types = typesIn(text);
  return Object.entries(definitions).flatMap(([name, { type, labels }]) => {
    const series = [...text.matchAll(new RegExp(`^${name}(?:_bucket|_sum|_count)?(?:\\{(.*)\\})? \\S+$`, 'gm'))];
    const named = series.map(([, said = '']) =>
      [...said.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)].flatMap(([, label = '']) => (label === 'le' ? [] : [label])),
    );
    const isOther = (found: readonly string[]): boolean => found.toSorted().join() !== labels.toSorted().join();
    return [
      ...(types.get(name) === type ? [] : [`${name} is ${types.get(name) ?? 'missing'}, not a ${type}`]),
      ...named.filter(isOther).map((found) => `${name} has ${found.join()}, not ${labels.join()}`),
    ];
  });
}

describe('/metrics of a bridge that was started as baremetal-operator is', () => {
  test('refuses requests without a token, or with an unknown one', async () => {
    await vi.waitFor(async () => expect((await scrape()).status).toBe(401), PATIENCE);
    expect(await scrape('nonsense')).toEqual({ status: 401, text: 'Unauthorized\n' });
  });

  test('refuses requests of an account without the right to it', async () => {
    const { status, text } = await scrape(await accounts.tokenOf(scene.namespace, 'nosy'));
    expect({ status, text }).toEqual({
      status: 403,
      text: `Authorization denied for user system:serviceaccount:${scene.namespace}:nosy\n`,
    });
  });

  test('has metrics of hosts, queues, the process and Temporal for an account with that right', async () => {
    await accounts.create('/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'monitoring' },
    });
    const token = await accounts.tokenOf('monitoring', 'any-name-of-prometheus');
    await scene.createHost('looked-at');
    const seen = `metal3_reconcile_total{namespace="${scene.namespace}",host="looked-at"}`;
    const { text } = await vi.waitFor(async () => {
      const answer = await scrape(token);
      expect(answer.text).toContain(seen);
      expect(answer.text).toMatch(
        /controller_runtime_reconcile_total\{controller="baremetalhost",result="success"\} [1-9]/,
      );
      return answer;
    }, PATIENCE);
    const told = typesIn(text);
    expect(undefinedIn(text, METRICS_OF.bridge)).toEqual([]);
    expect(told.get('temper_hosts_waiting')).toBe('gauge');
    expect(text).toMatch(/^temper_hosts_waiting\{for="hardware"\} \d/m);
    expect(text).toMatch(/^rest_client_requests_total\{code="200",method="GET",host="127.0.0.1:\d+"\} [1-9]/m);
    expect(text).toMatch(/^rest_client_requests_total\{code="201",method="POST",host="127.0.0.1:\d+"\} [1-9]/m);
    expect(text).toMatch(/^certwatcher_read_certificate_errors_total 0$/m);
    expect(told.has('process_cpu_seconds_total')).toBe(true);
    expect([...told.keys()].filter((name) => name.startsWith('temporal_')).length).toBeGreaterThan(0);
  });
});

test('/metrics of the workers has theirs, with the labels by which alerts and dashboards sum', async () => {
  const { port } = (await allocatePorts({ port: {} })).ports;
  const env = { PROVISIONER: 'fixture', WATCH_NAMESPACE: scene.namespace, METRICS_INSECURE: 'true' };
  const workers = start(WORKERS, [`-metrics-addr=127.0.0.1:${port}`], { KUBECONFIG: inject('kubeconfig'), ...env });
  try {
    await vi.waitFor(async () => {
      const { body } = await request(`http://127.0.0.1:${port}/metrics`);
      const text = await body.text();
      expect(undefinedIn(text, METRICS_OF.workers)).toEqual([]);
      expect(text).toMatch(/^rest_client_requests_total\{code="200",method="GET",host="127.0.0.1:\d+"\} [1-9]/m);
      expect(text).toMatch(/^temper_kept\{what="workload_connections"\} 0$/m);
      expect(text).toMatch(/^temper_ironic_requests_withheld_total\{reason="not asked"\} 0$/m);
    }, PATIENCE);
  } finally {
    workers.kill('SIGTERM');
    await workers;
  }
});

test('a host that was there before the bridge counts as one that was looked at', async () => {
  const early = await openScene(sharedControlPlane());
  const { namespace } = early;
  await early.createHost('older');
  const { port } = (await allocatePorts({ port: {} })).ports;
  const args = [`-metrics-addr=127.0.0.1:${port}`, '--namespace', namespace];
  const later = startBridge(args, { KUBECONFIG: inject('kubeconfig'), METRICS_INSECURE: 'true' });
  try {
    await vi.waitFor(async () => {
      const { body } = await request(`http://127.0.0.1:${port}/metrics`);
      expect(await body.text()).toContain(`metal3_reconcile_total{namespace="${namespace}",host="older"}`);
    }, PATIENCE);
  } finally {
    later.kill('SIGTERM');
    await later;
    await early.end();
  }
});

/** Passes connections on to Temporal until it is cut. */
async function openWay(address: string) {
  const sockets = new Set<Socket>();
  const { hostname, port } = new URL(`tcp://${address}`);
  const server = createServer((client) => {
    const temporal = connect(Number(port), hostname);
    for (const socket of [client, temporal]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => [client, temporal].forEach((each) => each.destroy()));
    }
    client.pipe(temporal).pipe(client);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut(): void {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

test('each look at a host that failed counts as one', async () => {
  const own = await openScene(sharedControlPlane());
  await own.createHost('unheard');
  const { port } = (await allocatePorts({ port: {} })).ports;
  const args = [`-metrics-addr=127.0.0.1:${port}`, '--namespace', own.namespace];
  const way = await openWay(sharedControlPlane().temporalAddress);
  const lost = { KUBECONFIG: inject('kubeconfig'), TEMPORAL_ADDRESS: way.address, METRICS_INSECURE: 'true' };
  const deaf = startBridge(args, lost);
  try {
    const counted = async (name: string): Promise<number> => {
      const { body } = await request(`http://127.0.0.1:${port}/metrics`);
      return Number(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)$`, 'm').exec(await body.text())?.[1]);
    };
    await vi.waitFor(async () => expect(await counted('metal3_reconcile_total')).toBeGreaterThan(0), PATIENCE);
    way.cut();
    await own.createHost('not-told');
    const failed = () => counted('metal3_reconcile_error_total');
    const first = await vi.waitFor(async () => {
      const count = await failed();
      expect(count).toBeGreaterThan(0);
      return count;
    }, PATIENCE);
    await vi.waitFor(async () => expect(await failed()).toBeGreaterThan(first), PATIENCE);
  } finally {
    deaf.kill('SIGTERM');
    await deaf;
    way.cut();
    await own.end();
  }
});

test('a bridge does not start with a flag that does not exist, and says so', async () => {
  const { exitCode, stderr } = await startBridge(['-test-mode'], {});
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: 'command line: -test-mode was removed: use -provisioner=fixture',
  });
});
