import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { z } from 'zod';
import { findIronic } from '../../activities/ironic/client/ironic-object.ts';
import { messageOf } from '../../domain/message-of.ts';
import { connectKube, type Kube } from '../../kube/client.ts';
import { hostPath, ironicPath } from '../../kube/paths.ts';
import { tokenOf } from '../../lab/control-plane/account.ts';
import { readManifestFile } from '../../lab/control-plane/manifest.ts';
import { allocatePorts } from '../../lab/supervisor/ports.ts';
import { kubectlPath, rendered } from '../builders/rendered.ts';
import { serveKinds } from '../builders/throw-away-kinds.ts';
import { accountsOf } from './accounts.ts';
import { sharedControlPlane } from './control-plane.ts';
import { startProgram } from './programs.ts';

/** Bridge and workers with the accounts, rights and settings of the overlay `one-namespace`, and no others. */
const trusting = new Agent({ connect: { rejectUnauthorized: false } });
const PATIENCE = { timeout: 600_000, interval: 200 };
const RIGHTS = ['Namespace', 'ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'];
type Program = 'bridge' | 'workers';
const BOTH: readonly Program[] = ['bridge', 'workers'];
const HOME = 'temper-system';
/** Simulated machines are ConfigMaps, to which an installation gives no right. */
const FIXTURE_VERBS = ['create', 'get', 'patch'];
const FIXTURE = fileURLToPath(new URL('../../deploy/kubernetes/components/fixture/roles.yaml', import.meta.url));
const IRONIC = { apiVersion: 'ironic.metal3.io/v1alpha1', kind: 'Ironic', plural: 'ironics' };

const object = z.looseObject({ kind: z.string(), data: z.record(z.string(), z.string()).optional() });
const host = z.object({ status: z.object({ provisioning: z.object({ state: z.string() }) }).optional() });

let admin: Kube;
let watched: string;
/** Connections with the account of each. */
const accounts = new Map<Program, Kube>();
const metrics = new Map<Program, string>();
const started: ReturnType<typeof startProgram>[] = [];

const aHost = (namespace: string): readonly object[] => [
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'bmc', namespace },
    stringData: { username: 'a', password: 'b' },
  },
  {
    apiVersion: 'metal3.io/v1alpha1',
    kind: 'BareMetalHost',
    metadata: { name: 'one', namespace },
    spec: { online: true, bmc: { address: 'redfish://192.0.2.1/redfish/v1/Systems/1', credentialsName: 'bmc' } },
  },
];

beforeAll(async () => {
  admin = connectKube(inject('kubeconfig'));
  const objects = z.array(object).parse(await rendered('kubernetes/overlays/one-namespace'));
  const settings =
    objects.flatMap(({ kind, data }) => (kind === 'ConfigMap' && data !== undefined ? [data] : []))[0] ?? {};
  watched = settings['WATCH_NAMESPACE'] ?? '';
  const namespaces = [watched, 'not-watched'].map((name) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
  }));
  const rights = [...objects.filter(({ kind }) => RIGHTS.includes(kind)), ...readManifestFile(FIXTURE)];
  const items = [...namespaces, ...rights, ...aHost(watched), ...aHost('not-watched')];
  await execa(await kubectlPath(), ['--kubeconfig', inject('kubeconfig'), 'apply', '--server-side', '-f', '-'], {
    input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
  });

  const { ports } = await allocatePorts({ bridge: {}, workers: {} });
  const { temporalAddress, temporalNamespace } = sharedControlPlane();
  for (const program of BOTH) {
    const { kubeconfigOf } = accountsOf(admin, inject('kubeconfig'));
    const kubeconfig = await kubeconfigOf(await tokenOf(admin, { namespace: HOME, name: `temper-${program}` }));
    accounts.set(program, connectKube(kubeconfig));
    metrics.set(program, `https://127.0.0.1:${ports[program]}/metrics`);
    const env = {
      ...settings,
      KUBECONFIG: kubeconfig,
      POD_NAMESPACE: HOME,
      TEMPORAL_ADDRESS: temporalAddress,
      TEMPORAL_NAMESPACE: temporalNamespace,
      PROVISIONER: 'fixture',
      // Registered webhooks would be asked for the hosts of other tests.
      WEBHOOK_PORT: '0',
      HEALTH_ADDR: '127.0.0.1:0',
      METRICS_ADDR: `127.0.0.1:${ports[program]}`,
    };
    started.push(startProgram(program, env));
  }
});
afterAll(async () => {
  for (const process of started) process.kill('SIGTERM');
  await Promise.all(started);
  await Promise.all([admin, trusting, ...accounts.values()].map((connection) => connection?.close()));
});

const stateIn = async (namespace: string): Promise<string | undefined> =>
  host.parse(await admin.request({ path: hostPath({ namespace, name: 'one' }) })).status?.provisioning.state;

describe('with the rights of the overlay for one namespace', () => {
  test('a host in it becomes available, and no other is looked at', async () => {
    await expect.poll(() => stateIn(watched), PATIENCE).toBe('available');
    expect(await stateIn('not-watched')).toBeUndefined();
  });

  test('/metrics asks who may read it', async () => {
    const { create, tokenOf: issued } = accountsOf(admin, inject('kubeconfig'));
    await create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'not-watched' } });
    const headers = { authorization: `Bearer ${await issued('not-watched', 'nosy')}` };
    const answerOf = async (program: Program): Promise<string> => {
      const { body } = await request(metrics.get(program) ?? '', { dispatcher: trusting, headers });
      return body.text();
    };
    for (const program of BOTH) {
      await expect
        .poll(() => answerOf(program).catch(messageOf), PATIENCE)
        .toBe('Authorization denied for user system:serviceaccount:not-watched:nosy\n');
    }
  });

  test('an Ironic object and its Secret are read', async () => {
    await serveKinds(admin, [IRONIC]);
    const ironic = { namespace: watched, name: 'ironic' };
    const spec = { apiCredentialsName: 'bmc' };
    const body = { apiVersion: IRONIC.apiVersion, kind: IRONIC.kind, metadata: { name: 'ironic' }, spec };
    const path = ironicPath({ ...ironic, name: '' }).replace(/\/$/, '');
    await vi.waitFor(() => admin.request({ method: 'POST', path, body }), PATIENCE);
    const conditions = [{ type: 'Ready', status: 'True', observedGeneration: 1, message: '' }];
    await admin.patch(`${ironicPath(ironic)}/status`, { status: { conditions } });
    for (const kube of accounts.values())
      expect(await findIronic(kube, ironic)).toMatchObject({ login: { username: 'a', password: 'b' } });
  });

  test.each(BOTH)('the %s may touch no Secrets, hosts or ConfigMaps of other namespaces', async (program) => {
    const may = (verb: string, namespace: string, resource: string, group = ''): Promise<boolean> =>
      isAllowed(`system:serviceaccount:${HOME}:temper-${program}`, { verb, namespace, resource, group });
    expect(await may('get', watched, 'secrets')).toBe(true);
    expect(await may('patch', watched, 'baremetalhosts', 'metal3.io')).toBe(true);
    const elsewhere = ['not-watched', 'kube-system', ''];
    for (const verb of ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', '*'])
      for (const namespace of elsewhere) {
        const words = `${verb} in ${namespace || 'all namespaces'}`;
        expect(await may(verb, namespace, 'secrets'), words).toBe(false);
        expect(await may(verb, namespace, 'baremetalhosts', 'metal3.io'), words).toBe(false);
        // Workers may, on the fixture.
        expect(await may(verb, namespace, 'configmaps'), words).toBe(
          program === 'workers' && FIXTURE_VERBS.includes(verb),
        );
      }
  });
});

/** Asked by the administrator, so that the audit log shows no request of the account without a right. */
async function isAllowed(user: string, resourceAttributes: object): Promise<boolean> {
  const body = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: { user, groups: [`system:serviceaccounts:${HOME}`], resourceAttributes },
  };
  const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
  const review = z.object({ status: z.object({ allowed: z.boolean() }) });
  return review.parse(await admin.request({ method: 'POST', path, body })).status.allowed;
}
