import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { createViewHandover, type ViewHandover } from '../../activities/requests/hand-over-view.ts';
import type { EntityView } from '../../domain/entity/view.ts';
import { readLease, takeLease } from '../../k8s-bridge/lease/lease.ts';
import { startViewServer, type ViewServer } from '../../k8s-bridge/publish/start-view-server.ts';
import type { TakeView } from '../../k8s-bridge/publish/view-app.ts';
import { connectKube, type Kube } from '../../kube/client.ts';
import { createGates } from '../../kube/gate.ts';
import { LEASES, readLeader, VIEWS_AUDIENCE } from '../../kube/leader.ts';
import { tokenOf } from '../../lab/control-plane/account.ts';
import { bridgeConfig, readConfig } from '../../platform/config/config.ts';
import { accountsOf } from './accounts.ts';

/** The way of a view from a worker to the active bridge, beside Temporal: Lease, certificate, token, right. */
const log = pino({ level: 'silent' });
const VIEW = {
  kind: 'BareMetalHost',
  namespace: 'metal',
  name: 'node-1',
  uid: 'u-1',
  run: 'run-1',
  generation: 1,
  revision: 1,
  at: 1,
  order: { epoch: 1, number: 1 },
} as unknown as EntityView;

let kube: Kube;
let dir: string;
let namespace: string;
/** Tokens for the bridge alone: of an account with the right, and of one without. */
let workers: string;
let nosy: string;
/** A token for the API server of the account with the right. */
let forApiServer: string;

beforeAll(async () => {
  kube = connectKube(inject('kubeconfig'));
  dir = await mkdtemp(join(tmpdir(), 'temper-views-'));
  namespace = `views-${randomBytes(4).toString('hex')}`;
  const accounts = accountsOf(kube, inject('kubeconfig'));
  await accounts.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  forApiServer = await accounts.tokenOf(namespace, 'workers');
  await accounts.tokenOf(namespace, 'nosy');
  workers = await tokenOf(kube, { namespace, name: 'workers' }, VIEWS_AUDIENCE);
  nosy = await tokenOf(kube, { namespace, name: 'nosy' }, VIEWS_AUDIENCE);
  await accounts.bind(namespace, 'workers', `views-${namespace}`, { nonResourceURLs: ['/views'], verbs: ['post'] });
});
afterAll(async () => {
  await kube.close();
  await rm(dir, { recursive: true });
});

const open = new Set<{ close(): Promise<void> }>();
afterEach(async () => {
  for (const one of open) await one.close();
  open.clear();
});

/** A bridge that holds a Lease and takes views as `take` says. */
async function aBridge(take: TakeView): Promise<ViewServer> {
  const config = readConfig(bridgeConfig, { VIEWS_ADDR: '127.0.0.1:0', TEMPORAL_NAMESPACE: 'views' });
  const server = await startViewServer({ config, gates: createGates(kube), take, log });
  if (server === undefined) throw new Error('the server is turned off');
  open.add(server);
  const ref = { kube, namespace, name: LEASES.alone, identity: `bridge-${randomBytes(4).toString('hex')}` };
  const lease = { ...ref, durationSeconds: 15, retrySeconds: 2, annotations: server.annotations };
  await takeLease(lease, await readLease(lease));
  return server;
}

/** What a worker with this token hands over; its clock moves on as the test says. */
async function aWorker(token: string, temporalNamespace = 'views') {
  const tokenFile = join(dir, randomBytes(4).toString('hex'));
  await writeFile(tokenFile, token);
  let now = 0;
  const worker: ViewHandover = createViewHandover({
    readLeader: () => readLeader(kube, namespace),
    tokenFile,
    temporalNamespace,
    currentCall: () => ({ signal: AbortSignal.timeout(30_000) }),
    log,
    now: () => now,
  });
  open.add(worker);
  return {
    handOver: () => worker.activities.handOverView({ view: VIEW }),
    later: () => void (now += 10_000),
  };
}
const PUBLISHED = { kind: 'published', at: 7 } as const;
const NOT_TAKEN = { kind: 'not taken' };

describe('a worker', () => {
  test('hands views to the bridge that holds the Lease', async () => {
    const taken: EntityView[] = [];
    await aBridge(async (view) => {
      taken.push(view);
      return PUBLISHED;
    });
    const { handOver } = await aWorker(workers);
    expect(await handOver()).toEqual(PUBLISHED);
    expect(taken).toEqual([VIEW]);
  });

  test.each([
    ['whose account may not hand over views', () => nosy],
    ['whose token is for the API server', () => forApiServer],
    ['whose token is forged', () => 'forged'],
  ])('%s hands over by Temporal', async (_, token) => {
    const taken: EntityView[] = [];
    await aBridge(async (view) => {
      taken.push(view);
      return PUBLISHED;
    });
    const { handOver } = await aWorker(token());
    expect(await handOver()).toEqual(NOT_TAKEN);
    expect(taken).toEqual([]);
  });

  test('of another Temporal namespace hands over by Temporal', async () => {
    await aBridge(async () => PUBLISHED);
    const { handOver } = await aWorker(workers, 'other');
    expect(await handOver()).toEqual(NOT_TAKEN);
  });

  test('finds the next bridge, whose address and certificate are others', async () => {
    const first = await aBridge(async () => PUBLISHED);
    const { handOver, later } = await aWorker(workers);
    expect(await handOver()).toEqual(PUBLISHED);
    await first.close();
    expect(await handOver()).toEqual(NOT_TAKEN);
    await aBridge(async () => ({ kind: 'superseded' }));
    later();
    expect(await handOver()).toEqual({ kind: 'superseded' });
  });

  test('hands over by Temporal what the bridge does not take now, and the next view directly', async () => {
    let isReady = false;
    await aBridge(() => (isReady ? Promise.resolve(PUBLISHED) : undefined));
    const { handOver } = await aWorker(workers);
    expect(await handOver()).toEqual(NOT_TAKEN);
    isReady = true;
    expect(await handOver()).toEqual(PUBLISHED);
  });

  test('believes no other server that answers at the address', async () => {
    const { annotations } = await aBridge(async () => PUBLISHED);
    const other = await aBridge(async () => PUBLISHED);
    const [url = '', ...rest] = Object.keys(annotations);
    const { [url]: address = '' } = other.annotations;
    const ref = { kube, namespace, name: LEASES.alone, identity: 'liar', durationSeconds: 15, retrySeconds: 2 };
    const lied = { [url]: address, ...Object.fromEntries(rest.map((key) => [key, annotations[key] ?? ''])) };
    await takeLease({ ...ref, annotations: lied }, await readLease(ref));
    const { handOver } = await aWorker(workers);
    expect(await handOver()).toEqual(NOT_TAKEN);
  });
});
