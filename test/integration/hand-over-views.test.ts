import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { createViewHandover, type ViewHandover } from '../../activities/requests/hand-over-view.ts';
import type { EntityView } from '../../domain/entity/view.ts';
import { readLease, takeLease } from '../../k8s-bridge/lease/lease.ts';
import { startViewServer } from '../../k8s-bridge/publish/start-view-server.ts';
import type { TakeView } from '../../k8s-bridge/publish/take-view.ts';
import { connectKube, type Kube } from '../../kube/client.ts';
import { createGates } from '../../kube/gate.ts';
import { LEASES, readLeader, VIEWS_AUDIENCE } from '../../kube/leader.ts';
import { leasePath } from '../../kube/paths.ts';
import { tokenOf } from '../../lab/control-plane/account.ts';
import { bridgeConfig, readConfig } from '../../platform/config/config.ts';
import type { Log } from '../../platform/log.ts';
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

interface Given {
  readonly take?: TakeView;
  /** The bridge has the Lease of elected ones, of which this is the holder. */
  readonly electedHolder?: string;
  readonly isActive?: boolean;
}

const BRIDGE = 'bridge-1';
const PUBLISHED = { kind: 'published', at: 7 } as const;
const NOT_TAKEN = { kind: 'not taken' };

/** A bridge that takes views, with its address in a Lease. */
async function aBridge({ take = async () => PUBLISHED, electedHolder, isActive = true }: Given = {}) {
  const taken: EntityView[] = [];
  const taking: TakeView = (view) => {
    taken.push(view);
    return take(view);
  };
  const config = readConfig(bridgeConfig, { VIEWS_ADDR: '127.0.0.1:0', TEMPORAL_NAMESPACE: 'views' });
  const taker = (): TakeView | undefined => (isActive ? taking : undefined);
  const server = await startViewServer({ config, gates: createGates(kube), taker, identity: BRIDGE, log });
  if (server === undefined) throw new Error('the server is turned off');
  open.add(server);
  const name = electedHolder === undefined ? LEASES.alone : LEASES.elected;
  await writeLease(name, electedHolder ?? BRIDGE, server.annotations);
  return { ...server, taken };
}

async function writeLease(
  name: string,
  identity: string,
  annotations: Readonly<Record<string, string>>,
): Promise<void> {
  const lease = { kube, namespace, name, identity, durationSeconds: 15, retrySeconds: 2, annotations };
  await takeLease(lease, await readLease(lease));
}

/** What a worker with this token hands over; its clock moves on as the test says. */
async function aWorker(token = workers, temporalNamespace = 'views') {
  const tokenFile = join(dir, randomBytes(4).toString('hex'));
  await writeFile(tokenFile, token);
  const reasons: string[] = [];
  let now = 0;
  let call = new AbortController();
  const info = (...[said]: readonly unknown[]): void =>
    void reasons.push(typeof said === 'object' && said !== null && 'why' in said ? String(said.why) : '');
  const worker: ViewHandover = createViewHandover({
    readLeader: () => readLeader(kube, { namespace, temporalNamespace }),
    tokenFile,
    temporalNamespace,
    currentCall: () => ({ signal: call.signal }),
    log: { info } as unknown as Log,
    now: () => now,
  });
  open.add(worker);
  return {
    handOver: () => {
      call = new AbortController();
      return worker.activities.handOverView({ view: VIEW });
    },
    /** Of the view that is being handed over. */
    timeIsUp: () => call.abort(),
    later: (ms: number) => void (now += ms),
    close: () => worker.close(),
    reasons,
  };
}

describe('a worker', () => {
  test('hands views to the bridge whose address is in the Lease', async () => {
    const { taken } = await aBridge();
    const { handOver, reasons } = await aWorker();
    expect(await handOver()).toEqual(PUBLISHED);
    expect([taken, reasons]).toEqual([[VIEW], ['']]);
  });

  test.each([
    ['whose account may not hand over views', () => nosy, /answered 403 Forbidden: system:serviceaccount:.*:nosy/],
    ['whose token is for the API server', () => forApiServer, /answered 401 Unauthorized: this token is not known/],
    ['whose token is forged', () => 'forged', /answered 401 Unauthorized: this token is not known/],
  ])('%s hands over by Temporal', async (_, token, reason) => {
    const { taken } = await aBridge();
    const { handOver, reasons } = await aWorker(token());
    expect(await handOver()).toEqual(NOT_TAKEN);
    expect([taken, reasons]).toEqual([[], [expect.stringMatching(reason)]]);
  });

  test('finds no bridge of another Temporal namespace', async () => {
    const { taken } = await aBridge();
    const { handOver, reasons } = await aWorker(workers, 'other');
    expect(await handOver()).toEqual(NOT_TAKEN);
    expect([taken, reasons]).toEqual([[], ['no Lease names a bridge that takes views']]);
  });

  test('finds no bridge that has left its address in the Lease of another one', async () => {
    await writeLease(LEASES.alone, 'other', (await aBridge({ electedHolder: BRIDGE })).annotations);
    const { handOver } = await aWorker();
    expect(await handOver()).toEqual(PUBLISHED);
    await kube.request({ method: 'DELETE', path: leasePath({ namespace, name: LEASES.alone }) });
    await writeLease(LEASES.elected, 'next', {});
    const { handOver: later, reasons } = await aWorker();
    expect(await later()).toEqual(NOT_TAKEN);
    expect(reasons).toEqual(['no Lease names a bridge that takes views']);
  });

  test('finds the next bridge, whose address and certificate are others', async () => {
    const first = await aBridge();
    const { handOver, later } = await aWorker();
    expect(await handOver()).toEqual(PUBLISHED);
    await first.close();
    expect(await handOver()).toEqual(NOT_TAKEN);
    await aBridge({ take: async () => ({ kind: 'superseded' }) });
    expect(await handOver()).toEqual(NOT_TAKEN);
    later(1_000);
    expect(await handOver()).toEqual({ kind: 'superseded' });
  });

  test('looks for the next bridge when the one that it knows is not active any more', async () => {
    await aBridge({ isActive: false });
    const { handOver, later, reasons } = await aWorker();
    expect(await handOver()).toEqual(NOT_TAKEN);
    expect(reasons).toEqual([expect.stringMatching('answered 421 this bridge is not active')]);
    await aBridge();
    later(1_000);
    expect(await handOver()).toEqual(PUBLISHED);
  });

  test('looks more and more rarely', async () => {
    const gone = await aBridge();
    await gone.close();
    const { handOver, later } = await aWorker();
    expect(await handOver()).toEqual(NOT_TAKEN);
    later(1_000);
    expect(await handOver()).toEqual(NOT_TAKEN);
    await aBridge();
    later(1_999);
    expect(await handOver()).toEqual(NOT_TAKEN);
    later(1);
    expect(await handOver()).toEqual(PUBLISHED);
  });

  test('hands over by Temporal what the bridge does not take now, and the next view directly', async () => {
    let isReady = false;
    await aBridge({ take: () => (isReady ? Promise.resolve(PUBLISHED) : undefined) });
    const { handOver } = await aWorker();
    expect(await handOver()).toEqual(NOT_TAKEN);
    isReady = true;
    expect(await handOver()).toEqual(PUBLISHED);
  });

  test('waits for one view that takes long, and not for a bridge that answers none', async () => {
    let isStuck = true;
    const { taken } = await aBridge({
      take: () => (isStuck ? new Promise(() => undefined) : Promise.resolve(PUBLISHED)),
    });
    const { handOver, timeIsUp, reasons } = await aWorker();
    const stuck = async (count: number): Promise<unknown> => {
      const handingOver = handOver();
      await expect.poll(() => taken.length).toBe(count);
      timeIsUp();
      return handingOver;
    };
    expect([await stuck(1), await stuck(2)]).toEqual([NOT_TAKEN, NOT_TAKEN]);
    expect(reasons).toEqual([]);
    expect(await stuck(3)).toEqual(NOT_TAKEN);
    await expect.poll(() => reasons).toEqual(['the bridge does not answer in time']);
    isStuck = false;
    expect(await handOver()).toEqual(NOT_TAKEN);
    expect(taken).toHaveLength(3);
  });

  test('gives up soon on an address that lets it connect and never answers', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const { annotations } = await aBridge();
    const [[key, text] = ['', '']] = Object.entries(annotations);
    const address = { ...(JSON.parse(text) as object), url: `https://127.0.0.1:${port}/views` };
    await writeLease(LEASES.alone, BRIDGE, { [key]: JSON.stringify(address) });
    const { handOver, reasons } = await aWorker();
    expect(await handOver()).toEqual(NOT_TAKEN);
    expect(reasons).toEqual([expect.stringMatching(/timeout/i)]);
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  test('believes no other server at the address of the bridge', async () => {
    const [real, other] = [await aBridge(), await aBridge()];
    const [[key, text] = ['', '']] = Object.entries(real.annotations);
    const [[, otherText] = ['', '']] = Object.entries(other.annotations);
    const { url } = JSON.parse(otherText) as { readonly url: string };
    await writeLease(LEASES.alone, BRIDGE, { [key]: JSON.stringify({ ...(JSON.parse(text) as object), url }) });
    const { handOver, reasons } = await aWorker();
    expect(await handOver()).toEqual(NOT_TAKEN);
    expect([other.taken, reasons]).toEqual([[], [expect.stringMatching(/certificate/)]]);
  });

  test('hands nothing over once it ends', async () => {
    const { taken } = await aBridge();
    const { handOver, close } = await aWorker();
    await handOver();
    await close();
    expect(await handOver()).toEqual(NOT_TAKEN);
    expect(taken).toHaveLength(1);
  });
});
