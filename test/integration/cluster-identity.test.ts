import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { execa } from 'execa';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { readClusterUid } from '../../kube/cluster-uid.ts';
import { allocatePorts } from '../../lab/supervisor/ports.ts';
import { CLUSTER_WORKFLOW_ID, keepCluster, whileNamespaceIsOurs } from '../../platform/temporal/cluster-identity.ts';
import { createCodec } from '../../platform/temporal/encryption/codec.ts';
import { readKeyText } from '../../platform/temporal/encryption/keys.ts';
import { BRIDGE_TASK_QUEUE, hostWorkflowId, IRONIC_TASK_QUEUE, TASK_QUEUE } from '../../workflows/messages.ts';
import { openScene, PATIENCE, type Scene } from './bridge/harness.ts';
import { sharedControlPlane } from './control-plane.ts';

const MAIN = {
  bridge: fileURLToPath(new URL('../../k8s-bridge/main.ts', import.meta.url)),
  workers: fileURLToPath(new URL('../../workers/main.ts', import.meta.url)),
};
const OTHER = '00000000-0000-4000-8000-000000000000';
const log = pino({ level: 'silent' });
const { temporalNamespace } = sharedControlPlane();

let scene: Scene;
let client: Client;
let uid: string;
beforeAll(async () => {
  scene = await openScene(sharedControlPlane());
  ({ client } = scene);
  uid = await readClusterUid(scene.kube);
});
afterEach(() => forget());
afterAll(() => scene.end());

/** What Temporal keeps is lost. */
const forget = (): Promise<unknown> =>
  client.workflow
    .getHandle(CLUSTER_WORKFLOW_ID)
    .terminate()
    .catch(() => undefined);

const REFUSAL = [
  `the Temporal namespace ${temporalNamespace} is used by another cluster (kube-system has the uid ${OTHER}, since `,
  'set TEMPORAL_NAMESPACE to a namespace for this cluster alone',
  `temporal workflow terminate --namespace ${temporalNamespace} --workflow-id temper-cluster`,
];

describe('a Temporal namespace', () => {
  test('belongs to the cluster that used it first', async () => {
    expect(await keepCluster(client, uid)).toBeUndefined();
    expect(await keepCluster(client, OTHER)).toMatchObject({ uid });
    expect(await keepCluster(client, uid)).toBeUndefined();
  });

  test('is seen to belong to another cluster by bridges and workers with other encryption keys', async () => {
    const withKey = (fill: number): Client => {
      const codec = createCodec(() => readKeyText(`first:${Buffer.alloc(32, fill).toString('base64')}`));
      const dataConverter = { payloadCodecs: [codec] };
      return new Client({ connection: client.connection, namespace: temporalNamespace, dataConverter });
    };
    expect(await keepCluster(withKey(1), uid)).toBeUndefined();
    expect(await keepCluster(withKey(2), OTHER)).toMatchObject({ uid });
  });

  test('belongs to one of several clusters that start at the same time', async () => {
    const uids = Array.from({ length: 10 }, (_, index) => `cluster-${index}`);
    const answers = await Promise.all(uids.map((each) => keepCluster(client, each)));
    const owner = uids.filter((_, index) => answers[index] === undefined);
    expect(owner).toHaveLength(1);
    expect(new Set(answers.map((other) => other?.uid))).toEqual(new Set([undefined, ...owner]));
  });

  test('belongs to the next one when Temporal lost what it kept', async () => {
    await keepCluster(client, OTHER);
    await forget();
    expect(await keepCluster(client, uid)).toBeUndefined();
    expect(await keepCluster(client, OTHER)).toMatchObject({ uid });
  });

  test('that does not exist is waited for, and what to do is said', async () => {
    const stop = new AbortController();
    const missing: string[] = [];
    const options = {
      client: new Client({ connection: client.connection, namespace: 'nowhere' }),
      readUid: () => Promise.resolve(uid),
      log,
      onMissing: (said: string) => void missing.push(said),
      checkMs: 20,
    };
    let begun = 0;
    const work = (): Promise<void> => Promise.resolve(void (begun += 1));
    const waiting = whileNamespaceIsOurs(options, work, stop.signal);
    await expect.poll(() => missing.length).toBeGreaterThan(2);
    stop.abort();
    await waiting;
    expect(new Set(missing)).toEqual(
      new Set([
        'the Temporal namespace nowhere does not exist: create it (temporal operator namespace create --namespace nowhere), ' +
          'or set TEMPORAL_NAMESPACE to one that exists',
      ]),
    );
    expect(begun).toBe(0);
  });
});

describe('work', () => {
  test('waits until it is known which cluster this is, and says why', async () => {
    const missing: string[] = [];
    let [asked, begun] = [0, 0];
    const readUid = (): Promise<string> => {
      asked += 1;
      return asked < 3 ? Promise.reject(new Error('no right to it')) : Promise.resolve(uid);
    };
    const options = { client, readUid, log, onMissing: (said: string) => void missing.push(said), checkMs: 20 };
    const work = (): Promise<void> => Promise.resolve(void (begun += 1));
    await whileNamespaceIsOurs(options, work, new AbortController().signal);
    const unknown = 'it is not known which cluster the Temporal namespace belongs to: no right to it';
    expect({ missing, begun }).toEqual({ missing: [unknown, unknown, ''], begun: 1 });
  });

  test('that waits for the API server does not say that Temporal is down', async () => {
    const stop = new AbortController();
    const answers: boolean[] = [];
    let missing = 0;
    const options = {
      client,
      readUid: () => Promise.reject(new Error('no API server')),
      log,
      onMissing: () => void (missing += 1),
      onAnswer: (doesAnswer: boolean) => void answers.push(doesAnswer),
      checkMs: 20,
    };
    const waiting = whileNamespaceIsOurs(options, () => Promise.resolve(), stop.signal);
    await expect.poll(() => missing).toBeGreaterThan(1);
    stop.abort();
    await waiting;
    expect(new Set(answers)).toEqual(new Set([true]));
  });

  test('ends when another cluster has the namespace, and begins again when that is over', async () => {
    const stop = new AbortController();
    const events: string[] = [];
    const options = {
      client,
      readUid: () => Promise.resolve(uid),
      log,
      onMissing: (said: string) => void (said !== '' && events.push(said)),
      checkMs: 20,
    };
    const work = async (signal: AbortSignal): Promise<void> => {
      events.push('begins');
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      events.push('ends');
    };
    const running = whileNamespaceIsOurs(options, work, stop.signal);
    await expect.poll(() => events).toEqual(['begins']);
    // Between the two calls the work may have kept its own cluster again.
    await expect
      .poll(async () => {
        await forget();
        return keepCluster(client, OTHER);
      })
      .toBeUndefined();
    await expect.poll(() => events).toContain('ends');
    expect(events[1]).toContain(REFUSAL[0]);
    await forget();
    await expect.poll(() => events.at(-1)).toBe('begins');
    stop.abort();
    await running;
    expect(events.at(-1)).toBe('ends');
  });

  test("ends when Temporal's database was put back, and begins again", async () => {
    const events: string[] = [];
    const answers = [false, true];
    const options = {
      client,
      readUid: () => Promise.resolve(uid),
      log,
      onMissing: () => undefined,
      mark: { look: () => Promise.resolve(answers.shift() ?? false) },
      checkMs: 20,
    };
    const stop = new AbortController();
    const work = async (signal: AbortSignal): Promise<void> => {
      events.push('begins');
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      events.push('ends');
    };
    const running = whileNamespaceIsOurs(options, work, stop.signal);
    await expect.poll(() => events).toEqual(['begins', 'ends', 'begins']);
    stop.abort();
    await running;
    expect(events.at(-1)).toBe('ends');
  });
});

describe('bridge and workers of a cluster', () => {
  test('leave a namespace of another cluster alone and say what to set, until it is theirs', async () => {
    await keepCluster(client, OTHER);
    const bridge = await start('bridge');
    const workers = await start('workers');
    try {
      for (const { ready } of [bridge, workers]) {
        for (const part of REFUSAL) await expect.poll(ready, PATIENCE).toContain(part);
      }
      await scene.createHost('foreign');
      const run = client.workflow.getHandle(hostWorkflowId({ namespace: scene.namespace, name: 'foreign' }));
      expect(await Promise.all([BRIDGE_TASK_QUEUE, TASK_QUEUE, IRONIC_TASK_QUEUE].map(pollersOf))).toEqual([0, 0, 0]);
      await expect(run.describe()).rejects.toThrow('not found');

      await forget();
      for (const { ready } of [bridge, workers]) await expect.poll(ready, PATIENCE).toBe('ok\n');
      await expect
        .poll(
          () =>
            run.describe().then(
              ({ status }) => status.name,
              () => 'none',
            ),
          PATIENCE,
        )
        .toBe('RUNNING');
      expect(await keepCluster(client, OTHER)).toMatchObject({ uid });
    } finally {
      await Promise.all([bridge.stop(), workers.stop()]);
    }
  });
});

async function pollersOf(taskQueue: string): Promise<number> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: temporalNamespace,
    taskQueue: { name: taskQueue },
    taskQueueType: 2,
  });
  return pollers?.length ?? 0;
}

/** One of our processes. */
async function start(name: keyof typeof MAIN) {
  const { ports } = await allocatePorts({ health: {} });
  const process = execa(globalThis.process.execPath, [MAIN[name]], {
    reject: false,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      KUBECONFIG: inject('kubeconfig'),
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      TEMPORAL_NAMESPACE: temporalNamespace,
      PROVISIONER: 'fixture',
      WATCH_NAMESPACE: scene.namespace,
      HEALTH_ADDR: `127.0.0.1:${ports.health}`,
      METRICS_ADDR: '0',
      WEBHOOK_PORT: '0',
    },
  });
  return {
    ready: (): Promise<string> =>
      fetch(`http://127.0.0.1:${ports.health}/readyz`).then(
        (response) => response.text(),
        () => '',
      ),
    stop: (): Promise<unknown> => {
      process.kill('SIGTERM');
      return process;
    },
  };
}
