import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { connectKube, type Kube } from '../../kube/client.ts';
import { KINDS } from '../../kube/kinds.ts';
import { collectionPath, objectPath } from '../../kube/paths.ts';
import { tokenOf } from '../../lab/control-plane/account.ts';
import { allocatePorts } from '../../lab/supervisor/ports.ts';
import { atNight } from '../at-night.ts';
import { kubectlPath, rendered } from '../builders/rendered.ts';
import { serveKinds } from '../builders/throw-away-kinds.ts';
import { accountsOf } from './accounts.ts';
import { sharedControlPlane } from './control-plane.ts';
import { startProgram } from './programs.ts';

/** Bridge and workers with the accounts, rights and settings of clusterctl's IPAM provider, and no others. */
const PATIENCE = { timeout: 600_000, interval: 200 };
const RIGHTS = ['Namespace', 'ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'];
const HOME = 'metal3-ipam-system';
const NAMESPACE = 'addresses-alone';
const NOT_WATCHED = 'addresses-elsewhere';
const NEIGHBOUR = 'addresses-neighbour';
const PROGRAMS = ['bridge', 'workers'] as const;

const object = z.looseObject({ kind: z.string(), data: z.record(z.string(), z.string()).optional() });
const shown = z.object({
  metadata: z.object({ name: z.string(), finalizers: z.array(z.string()).optional() }),
  spec: z.record(z.string(), z.unknown()),
  status: z.record(z.string(), z.unknown()).optional(),
});
type Kind = (typeof KINDS)[keyof typeof KINDS];
type Program = (typeof PROGRAMS)[number];

let admin: Kube;
let ports: Readonly<Record<Program, number>>;
const environments = new Map<Program, Readonly<Record<string, string>>>();
const running = new Map<Program, ReturnType<typeof startProgram>>();
const startBoth = (): void => {
  for (const [program, env] of environments) running.set(program, startProgram(program, env));
};
async function endBoth(by: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  for (const process of running.values()) process.kill(by);
  await Promise.all(running.values());
}

beforeAll(async () => {
  admin = connectKube(inject('kubeconfig'));
  await serveKinds(admin, [KINDS.ipAddressClaim, KINDS.clusterIpAddress]);
  const objects = z.array(object).parse(await rendered('clusterctl/ipam'));
  const asked =
    objects.flatMap(({ kind, data }) => (kind === 'ConfigMap' && data !== undefined ? [data] : []))[0] ?? {};
  const settings = Object.entries(asked).map(([name, value]) => [name, value.replace(/^\$\{\w+:=("")?(.*)\}$/, '$2')]);
  const namespaces = [NAMESPACE, NEIGHBOUR, NOT_WATCHED].map((name) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
  }));
  const items = [...namespaces, ...objects.filter(({ kind }) => RIGHTS.includes(kind))];
  await execa(await kubectlPath(), ['--kubeconfig', inject('kubeconfig'), 'apply', '--server-side', '-f', '-'], {
    input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
  });
  const { temporalAddress, temporalNamespace } = sharedControlPlane();
  ({ ports } = await allocatePorts({ bridge: {}, workers: {} }));
  for (const program of PROGRAMS) {
    const token = await tokenOf(admin, { namespace: HOME, name: `ipam-temper-${program}` });
    const env = {
      ...(Object.fromEntries(settings) as Record<string, string>),
      KUBECONFIG: await accountsOf(admin, inject('kubeconfig')).kubeconfigOf(token),
      POD_NAMESPACE: HOME,
      // The provider serves all namespaces; pools of other tests are not its own.
      WATCH_NAMESPACE: `${NAMESPACE},${NEIGHBOUR}`,
      TEMPORAL_ADDRESS: temporalAddress,
      TEMPORAL_NAMESPACE: temporalNamespace,
      // Registered webhooks would be asked for the pools of other tests.
      WEBHOOK_PORT: '0',
      HEALTH_ADDR: `127.0.0.1:${ports[program]}`,
      METRICS_ADDR: '0',
    };
    environments.set(program, env);
  }
  startBoth();
});
afterAll(async () => {
  await endBoth('SIGTERM');
  await admin?.close();
});

const create = (kind: Kind, name: string, spec: object, namespace = NAMESPACE): Promise<unknown> =>
  admin.request({
    method: 'POST',
    path: collectionPath(kind, namespace),
    body: { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name }, spec },
  });
const read = async (kind: Kind, name: string, namespace = NAMESPACE): Promise<z.infer<typeof shown>> =>
  shown.parse(await admin.request({ path: objectPath(kind, { namespace, name }) }));
const statusOf = async (kind: Kind, name: string, namespace = NAMESPACE): Promise<unknown> =>
  (await read(kind, name, namespace)).status;
async function all(...kinds: readonly Kind[]): Promise<readonly z.infer<typeof shown>[]> {
  const list = z.object({ items: z.array(shown) });
  const lists = await Promise.all(kinds.map((kind) => admin.request({ path: collectionPath(kind, NAMESPACE) })));
  return lists.flatMap((one) => list.parse(one).items);
}

describe('the IPAM provider alone, without Ironic', () => {
  const pools = [{ start: '10.0.0.1', end: '10.0.0.9' }];

  test('gives addresses to claims, and leaves pools of namespaces alone that it does not watch', async () => {
    await create(KINDS.ipPool, 'elsewhere', { namePrefix: 'elsewhere', pools, prefix: 24 }, NOT_WATCHED);
    await create(KINDS.ipClaim, 'elsewhere', { pool: { name: 'elsewhere' } }, NOT_WATCHED);
    await create(KINDS.ipPool, 'office', { namePrefix: 'office', pools, prefix: 24 });
    await create(KINDS.ipClaim, 'desk', { pool: { name: 'office' } });
    await expect
      .poll(() => statusOf(KINDS.ipClaim, 'desk'), PATIENCE)
      .toMatchObject({ address: { name: 'office-10-0-0-1' } });
    await expect
      .poll(() => statusOf(KINDS.ipPool, 'office'), PATIENCE)
      .toMatchObject({ indexes: { desk: '10.0.0.1' } });
    for (const kind of [KINDS.ipPool, KINDS.ipClaim]) {
      const { metadata, status } = await read(kind, 'elsewhere', NOT_WATCHED);
      expect([metadata.finalizers, status]).toEqual([undefined, undefined]);
    }
  });

  test('gives each of sixty claims an address of its own and leaks none, although bridge and workers are killed while it gives and takes back', async ({
    skip,
  }) => {
    atNight(skip, 'activities/kubernetes/ipam/any-order.test.ts');
    const poolRef = { name: 'halls', kind: 'IPPool', apiGroup: 'ipam.metal3.io' };
    const kindOf = (at: number): Kind => (at % 3 === 0 ? KINDS.ipAddressClaim : KINDS.ipClaim);
    const specOf = (at: number): object =>
      at % 3 === 0 ? { clusterName: 'blue', poolRef } : { pool: { name: 'halls' } };
    const claim = (at: number): Promise<unknown> => create(kindOf(at), `hall-${at}`, specOf(at));
    const leave = (at: number): Promise<unknown> =>
      admin.request({
        method: 'DELETE',
        path: objectPath(kindOf(at), { namespace: NAMESPACE, name: `hall-${at}` }),
      });
    const claims = Array.from({ length: 60 }, (_, at) => at);
    const [early, late] = [claims.slice(0, 30), claims.slice(30)];
    /** By the names of their claims. */
    const addresses = async (): Promise<Record<string, unknown>> => {
      const given = await all(KINDS.ipAddress, KINDS.clusterIpAddress);
      const entries = given.map(({ spec }): [string, unknown] => {
        const { name } = z.object({ name: z.string() }).parse(spec['claim'] ?? spec['claimRef']);
        return [name, spec['address']];
      });
      // A claim with two addresses would hide one of them.
      const ofHalls = entries.filter(([name]) => name.startsWith('hall-'));
      expect(new Set(ofHalls.map(([name]) => name)).size).toBe(ofHalls.length);
      return Object.fromEntries(ofHalls);
    };
    const count = async (): Promise<number> => Object.keys(await addresses()).length;
    await create(KINDS.ipPool, 'halls', { namePrefix: 'halls', pools: [{ subnet: '10.1.0.0/24' }] });

    await Promise.all(early.map(claim));
    await expect.poll(count, PATIENCE).toBe(30);

    await Promise.all([...early.slice(0, 15).map(leave), ...late.slice(0, 15).map(claim)]);
    const isLate = (name: string): boolean => late.includes(Number(name.slice('hall-'.length)));
    const lateOnes = async (): Promise<number> => Object.keys(await addresses()).filter(isLate).length;
    await expect.poll(lateOnes, { ...PATIENCE, interval: 20 }).toBeGreaterThan(0);
    await endBoth('SIGKILL');
    await Promise.all([...early.slice(15).map(leave), ...late.slice(15).map(claim)]);
    startBoth();
    await expect.poll(lateOnes, PATIENCE).toBe(30);
    await expect.poll(async () => (await all(KINDS.ipClaim, KINDS.ipAddressClaim)).length, PATIENCE).toBe(31);
    expect(await count()).toBe(30);
    const before = await addresses();

    await Promise.all(early.map(claim));
    await expect.poll(count, PATIENCE).toBe(60);
    const lowest = claims.map((at) => `10.1.0.${at + 1}`);
    expect(new Set(Object.values(await addresses()))).toEqual(new Set(lowest));
    expect(await addresses()).toMatchObject(before);
    await expect
      .poll(
        async () => z.object({ indexes: z.unknown() }).parse(await statusOf(KINDS.ipPool, 'halls')).indexes,
        PATIENCE,
      )
      .toEqual(await addresses());
  });

  test('gives nothing of a pool to claims and IPAddresses of another namespace, which get what such a pool of their own has', async () => {
    const [name, spec] = ['shared', { namePrefix: 'shared', pools, prefix: 24 }];
    const isGiven = async (kind: Kind, claim: string, address: string, namespace = NAMESPACE): Promise<void> =>
      expect
        .poll(async () => JSON.stringify(await statusOf(kind, claim, namespace)), PATIENCE)
        .toContain(`"name":"${address}"`);
    await create(KINDS.ipPool, name, spec, NEIGHBOUR);
    await create(KINDS.ipClaim, 'theirs', { pool: { name } }, NEIGHBOUR);
    await isGiven(KINDS.ipClaim, 'theirs', 'shared-10-0-0-1', NEIGHBOUR);
    const indexes = { theirs: '10.0.0.1' };
    await expect.poll(() => statusOf(KINDS.ipPool, name, NEIGHBOUR), PATIENCE).toMatchObject({ indexes });
    const neighbours = (): Promise<readonly unknown[]> =>
      Promise.all(
        [KINDS.ipPool, KINDS.ipClaim, KINDS.ipAddress, KINDS.ipAddressClaim, KINDS.clusterIpAddress].map(
          async (kind) =>
            ((await admin.request({ path: collectionPath(kind, NEIGHBOUR) })) as { readonly items: unknown }).items,
        ),
      );
    const before = await neighbours();

    const [pool, claim] = [
      { name, namespace: NEIGHBOUR },
      { name: 'theirs', namespace: NEIGHBOUR },
    ];
    const poolRef = { ...pool, kind: 'IPPool', apiGroup: 'ipam.metal3.io' };
    await create(KINDS.ipClaim, 'wants', { pool });
    await create(KINDS.ipAddressClaim, 'wants', { clusterName: 'blue', poolRef });
    await create(KINDS.ipAddress, 'shared-10-0-0-2', { address: '10.0.0.2', pool, claim });
    await create(KINDS.clusterIpAddress, 'shared-10-0-0-3', { address: '10.0.0.3', poolRef, claimRef: claim });
    await create(KINDS.ipPool, name, { namePrefix: 'own', pools: [{ subnet: '10.2.0.0/24' }] });
    await isGiven(KINDS.ipAddressClaim, 'wants', 'own-10-2-0-1');
    await create(KINDS.ipClaim, 'later', { pool: { name } });
    await isGiven(KINDS.ipClaim, 'later', 'own-10-2-0-2');
    expect(await statusOf(KINDS.ipClaim, 'wants')).toBeUndefined();
    expect(await neighbours()).toEqual(before);

    await create(KINDS.ipClaim, 'next', { pool: { name } }, NEIGHBOUR);
    await isGiven(KINDS.ipClaim, 'next', 'shared-10-0-0-2', NEIGHBOUR);
  });

  test.each(PROGRAMS)('is ready: %s', async (program) => {
    const statusCode = async (): Promise<number> => (await fetch(`http://127.0.0.1:${ports[program]}/readyz`)).status;
    await expect.poll(statusCode, PATIENCE).toBe(200);
  });
});
