import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { connectKube, type Kube } from '../../kube/client.ts';
import { KINDS } from '../../kube/kinds.ts';
import { collectionPath, objectPath } from '../../kube/paths.ts';
import { tokenOf } from '../../lab/control-plane/account.ts';
import { allocatePorts } from '../../lab/supervisor/ports.ts';
import { kubectlPath, rendered } from '../builders/rendered.ts';
import { accountsOf } from './accounts.ts';
import { sharedControlPlane } from './control-plane.ts';
import { startProgram } from './programs.ts';

/** Bridge and workers with the accounts, rights and settings of clusterctl's IPAM provider, and no others. */
const PATIENCE = { timeout: 600_000, interval: 200 };
const RIGHTS = ['Namespace', 'ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'];
const HOME = 'metal3-ipam-system';
const NAMESPACE = 'addresses-alone';
const PROGRAMS = ['bridge', 'workers'] as const;

const object = z.looseObject({ kind: z.string(), data: z.record(z.string(), z.string()).optional() });
const shown = z.object({ status: z.record(z.string(), z.unknown()).optional() });

let admin: Kube;
let ports: Readonly<Record<(typeof PROGRAMS)[number], number>>;
const started: ReturnType<typeof startProgram>[] = [];

beforeAll(async () => {
  admin = connectKube(inject('kubeconfig'));
  const objects = z.array(object).parse(await rendered('clusterctl/ipam'));
  const asked =
    objects.flatMap(({ kind, data }) => (kind === 'ConfigMap' && data !== undefined ? [data] : []))[0] ?? {};
  const settings = Object.entries(asked).map(([name, value]) => [name, value.replace(/^\$\{\w+:=("")?(.*)\}$/, '$2')]);
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
  const items = [namespace, ...objects.filter(({ kind }) => RIGHTS.includes(kind))];
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
      WATCH_NAMESPACE: NAMESPACE,
      TEMPORAL_ADDRESS: temporalAddress,
      TEMPORAL_NAMESPACE: temporalNamespace,
      // Registered webhooks would be asked for the pools of other tests.
      WEBHOOK_PORT: '0',
      VIEWS_ADDR: '127.0.0.1:0',
      HEALTH_ADDR: `127.0.0.1:${ports[program]}`,
      METRICS_ADDR: '0',
    };
    started.push(startProgram(program, env));
  }
});
afterAll(async () => {
  for (const process of started) process.kill('SIGTERM');
  await Promise.all(started);
  await admin?.close();
});

const create = (kind: (typeof KINDS)[keyof typeof KINDS], name: string, spec: object): Promise<unknown> =>
  admin.request({
    method: 'POST',
    path: collectionPath(kind, NAMESPACE),
    body: { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name }, spec },
  });
const statusOf = async (kind: (typeof KINDS)[keyof typeof KINDS], name: string): Promise<unknown> =>
  shown.parse(await admin.request({ path: objectPath(kind, { namespace: NAMESPACE, name }) })).status;

describe('the IPAM provider alone, without Ironic', () => {
  test('gives addresses to claims', async () => {
    const pools = [{ start: '10.0.0.1', end: '10.0.0.9' }];
    await create(KINDS.ipPool, 'office', { namePrefix: 'office', pools, prefix: 24 });
    await create(KINDS.ipClaim, 'desk', { pool: { name: 'office' } });
    await expect
      .poll(() => statusOf(KINDS.ipClaim, 'desk'), PATIENCE)
      .toMatchObject({ address: { name: 'office-10-0-0-1' } });
    await expect
      .poll(() => statusOf(KINDS.ipPool, 'office'), PATIENCE)
      .toMatchObject({ indexes: { desk: '10.0.0.1' } });
  });

  test.each(PROGRAMS)('is ready: %s', async (program) => {
    const statusCode = async (): Promise<number> => (await fetch(`http://127.0.0.1:${ports[program]}/readyz`)).status;
    await expect.poll(statusCode, PATIENCE).toBe(200);
  });
});
