import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { UninstallRequest } from '../../cli/uninstall/options.ts';
import { takeAway } from '../../cli/uninstall/take-away.ts';
import { LEASES } from '../../domain/other-operators/running.ts';
import { aborted } from '../../k8s-bridge/aborted.ts';
import { runAlone } from '../../k8s-bridge/lease/alone.ts';
import type { Kube } from '../../kube/client.ts';
import { KINDS } from '../../kube/kinds.ts';
import { readObject } from '../../kube/objects/any-object.ts';
import { itemsOf, readMetadata } from '../../kube/objects/metadata.ts';
import {
  hostPath,
  leasePath,
  objectPath,
  type Resource,
  secretPath,
  webhookConfigurationPath,
} from '../../kube/paths.ts';
import type { Manifest } from '../../lab/control-plane/manifest.ts';
import { patchObject } from '../../lab/control-plane/objects.ts';
import { recordCommands } from '../../scripts/documented/ran.ts';
import { type Administrator, anAdministrator, type Ran, ran } from './migration/administrator.ts';
import { BMO, deploymentOf, webhooksOf } from './migration/operators.ts';

/** `temper uninstall` of docs/installation.md on a real API server. No kubelet: the test ends Pods. */
const record = recordCommands('test/integration/uninstall.test.ts');
const HOME = 'temper-system';
const METAL = 'metal';
const LEAVING = 'leaving';
/** Another Temper, and the namespace that it watches. */
const [STAYING, OTHERS] = ['metal3-ipam-system', 'others'];
/** The home of one for addresses alone. */
const POOLS = 'pools-system';
const HOST = { namespace: METAL, name: 'host-1' };
const DELETED = { namespace: LEAVING, name: 'host-2' };
const POOL = { namespace: METAL, name: 'pool-1' };
const SECRET = { namespace: METAL, name: 'bmc' };
const POD = { namespace: HOME, name: 'temper-bridge-1' };
const WEBHOOKS = 'temper-validating-webhook-configuration';
const LABELS = { 'app.kubernetes.io/name': 'temper' };
const DEPLOYMENTS: Resource = { apiVersion: 'apps/v1', plural: 'deployments' };
const PODS: Resource = { apiVersion: 'v1', plural: 'pods' };
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

let administrator: Administrator;
let admin: Kube;
let create: Administrator['create'];

type Any = Manifest & Readonly<Record<string, unknown>>;
const aHost = (metadata: { readonly namespace: string; readonly name: string }): Any => ({
  apiVersion: KINDS.host.apiVersion,
  kind: KINDS.host.kind,
  metadata: {
    ...metadata,
    finalizers: ['baremetalhost.metal3.io', 'example.com/inventory'],
    annotations: { 'temper/history': '[]', 'example.com/rack': '7' },
  } as Manifest['metadata'],
  spec: { online: true, image: { url: 'http://images.example.com/a.img', checksum: 'a' } },
});
const aDeployment = (name: string, namespace = HOME, settings: object = {}): Any => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace, name, labels: LABELS },
  spec: {
    replicas: 2,
    selector: { matchLabels: { name } },
    template: {
      metadata: { labels: { ...LABELS, name } },
      spec: { containers: [{ name: 'main', image: 'registry.example.com/temper', ...settings }] },
    },
  },
});
const aPod = (metadata: { readonly namespace: string; readonly name: string }): Any => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { ...metadata, labels: LABELS } as Manifest['metadata'],
  spec: { serviceAccountName: 'temper-bridge', containers: [{ name: 'main', image: 'registry.example.com/temper' }] },
});
const rbac = (kind: 'ClusterRole' | 'ClusterRoleBinding', name: string, more: object): Any => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind,
  metadata: { name },
  ...more,
});
const aBinding = (name: string, role: string, namespace = HOME): Any =>
  rbac('ClusterRoleBinding', name, {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'ServiceAccount', name: 'temper-bridge', namespace }],
  });
const aPolicy = (name: string, more: object = {}): Any => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name },
  spec: { policyName: name, validationActions: ['Deny'], ...more },
});
const CONDITION = { status: 'True', reason: 'Because', message: '', lastTransitionTime: '2026-11-29T12:00:00Z' };

beforeAll(async () => {
  administrator = await anAdministrator([HOME, METAL, LEAVING]);
  ({ kube: admin, create } = administrator);
  for (const host of [HOST, DELETED]) await create(aHost(host));
  await patchObject(admin, `${hostPath(HOST)}/status`, {
    status: {
      operationalStatus: 'OK',
      errorMessage: '',
      poweredOn: true,
      provisioning: { state: 'provisioned', ID: 'node-1' },
      conditions: [
        { ...CONDITION, type: 'Ready' },
        { ...CONDITION, type: 'Reconciling' },
        { ...CONDITION, type: 'Stalled' },
        { ...CONDITION, type: 'StepHeld' },
      ],
    },
  });
  await create({
    apiVersion: KINDS.ipPool.apiVersion,
    kind: KINDS.ipPool.kind,
    metadata: { ...POOL, finalizers: ['ippool.ipam.metal3.io'] } as Manifest['metadata'],
    spec: { namePrefix: 'a', pools: [] },
  });
  await create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      ...SECRET,
      labels: { 'environment.metal3.io': 'baremetal' },
      finalizers: ['baremetalhost.metal3.io/secret'],
    } as Manifest['metadata'],
    stringData: { username: 'a', password: 'b' },
  });
  for (const name of ['temper-bridge', 'temper-workers']) await create(aDeployment(name));
  await create({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { namespace: HOME, name: 'temper-bridge' },
  });
  await create(aPod(POD));
  // The approver's is for people, so that no account of Temper is bound to it.
  for (const name of ['temper-bridge-role', 'temper-approver']) await create(rbac('ClusterRole', name, { rules: [] }));
  await create(aBinding('temper-bridge-rolebinding', 'temper-bridge-role'));
  await admin.request({ method: 'DELETE', path: hostPath(DELETED) });
  await create(webhooksOf('temper', HOME));
  await create(webhooksOf('of-another', 'elsewhere'));
});
afterAll(() => administrator?.close());

/** Meanwhile a bridge renews its Lease. Then it is killed, so the Lease expires. */
async function beside<T>(identity: string, namespace: string, run: () => Promise<T>): Promise<T> {
  const ending = new AbortController();
  const lease = { kube: admin, namespace, name: LEASES.alone, identity, durationSeconds: 2, retrySeconds: 0.2 };
  const running = runAlone({ ...lease, log: pino({ level: 'silent' }) }, aborted, ending.signal);
  try {
    await expect.poll(() => admin.find(leasePath(lease))).toBeDefined();
    return await run();
  } finally {
    ending.abort();
    await running;
  }
}

function uninstalled(more: Partial<UninstallRequest>): Promise<Ran> {
  const request = {
    bridgeNamespace: HOME,
    isForMetal3: false,
    isConfirmed: true,
    timeoutMs: 600_000,
    dir: '/nowhere',
    ...more,
  };
  return ran((out) => takeAway(request, out));
}

const finalizersOf = async (path: string): Promise<readonly string[] | undefined> => {
  const found = await admin.find(path);
  return found === undefined ? undefined : readMetadata(found).finalizers;
};
const definitions = async (): Promise<readonly string[]> =>
  itemsOf(await admin.request({ path: CRDS })).map((object) => readMetadata(object).uid);
const replicas = z.object({ spec: z.object({ replicas: z.number() }) });
const replicasOf = async (name: string): Promise<number> =>
  replicas.parse(await admin.request({ path: objectPath(DEPLOYMENTS, { namespace: HOME, name }) })).spec.replicas;

describe('temper uninstall', () => {
  test('says what it would do, and does nothing, without a confirmation', async () => {
    const { code, text } = await uninstalled({ isConfirmed: false });
    record.ran('npx temper uninstall');
    expect(text).toContain('stop: Deployment temper-system/temper-bridge');
    expect(text).toContain(`remove: validating webhooks ${WEBHOOKS}`);
    expect(text).not.toContain('of-another');
    expect(text).toContain('clean: finalizers, annotations and conditions of 2 baremetalhosts');
    expect(text).toContain('gone by that: BareMetalHost leaving/host-2 is being deleted');
    expect(text).toContain('kubectl delete clusterrolebinding temper-bridge-rolebinding');
    expect(text).toContain('kubectl delete clusterrole temper-approver temper-bridge-role');
    expect(text).toContain('Nothing was changed');
    expect(code).toBe(0);
    expect(await replicasOf('temper-bridge')).toBe(2);
    expect(await admin.find(webhookConfigurationPath(WEBHOOKS))).toBeDefined();
    expect(await finalizersOf(hostPath(HOST))).toContain('baremetalhost.metal3.io');
  });

  test('prints no command about what belongs to others: names like those of Temper, roles of Kubernetes, roles that others use', async () => {
    for (const name of ['temperature-exporter', 'attempter', 'shared']) {
      await create(rbac('ClusterRole', name, { rules: [] }));
      await create(aBinding(name, name, 'elsewhere'));
    }
    await create(aPolicy('temperature-limits'));
    for (const role of ['view', 'shared']) await create(aBinding(`bridge-${role}`, role));
    const { text } = await uninstalled({ isConfirmed: false });
    expect(text.split('\n').filter((line) => line.startsWith('  kubectl'))).toEqual([
      '  kubectl delete clusterrolebinding bridge-shared bridge-view temper-bridge-rolebinding',
      '  kubectl delete clusterrole temper-approver temper-bridge-role',
      `  kubectl delete namespace ${HOME}`,
    ]);
  });

  test('changes nothing while a bridge runs elsewhere, for example that of Compose', async () => {
    const { code, text } = await beside('compose-1', 'default', () => uninstalled({ timeoutMs: 1 }));
    expect(text).toMatch(
      /another bridge of Temper runs: compose-1 renews the Lease default\/temper-bridge\. .+; nothing was changed$/,
    );
    expect(code).toBe(1);
    expect(await Promise.all(['temper-bridge', 'temper-workers'].map(replicasOf))).toEqual([2, 2]);
    expect(await admin.find(webhookConfigurationPath(WEBHOOKS))).toBeDefined();
    expect(await finalizersOf(hostPath(HOST))).toContain('baremetalhost.metal3.io');
  });

  test('touches nothing else before bridge and workers have ended, and gives up when they do not', async () => {
    const { code, text } = await uninstalled({ timeoutMs: 1 });
    expect(text).toContain('these Pods have not ended: temper-bridge-1; nothing else was changed');
    expect(code).toBe(1);
    expect(await Promise.all(['temper-bridge', 'temper-workers'].map(replicasOf))).toEqual([0, 0]);
    expect(await admin.find(webhookConfigurationPath(WEBHOOKS))).toBeDefined();
    expect(await finalizersOf(hostPath(HOST))).toContain('baremetalhost.metal3.io');
  });

  test('touches nothing else while a bridge goes on after the end of its Pod', async () => {
    await admin.patch(objectPath(DEPLOYMENTS, { namespace: HOME, name: 'temper-workers' }), { spec: { replicas: 1 } });
    const { code, text } = await beside(POD.name, HOME, async () => {
      const going = uninstalled({});
      await expect.poll(() => replicasOf('temper-workers')).toBe(0);
      await admin.request({ method: 'DELETE', path: objectPath(PODS, POD), query: { gracePeriodSeconds: 0 } });
      return going;
    });
    expect(text).toContain(`${POD.name} renews the Lease ${HOME}/temper-bridge`);
    expect(text).toMatch(/nothing else was changed$/);
    expect(code).toBe(1);
    expect(await admin.find(webhookConfigurationPath(WEBHOOKS))).toBeDefined();
    expect(await finalizersOf(hostPath(HOST))).toContain('baremetalhost.metal3.io');
    await create(aPod(POD));
  });

  test('leaves finalizers for the operators of Metal3, and takes our annotations and conditions off', async () => {
    // The other webhook has no server, either.
    await admin.request({
      method: 'DELETE',
      path: webhookConfigurationPath('of-another-validating-webhook-configuration'),
    });
    const going = uninstalled({ isForMetal3: true });
    await admin.request({ method: 'DELETE', path: objectPath(PODS, POD), query: { gracePeriodSeconds: 0 } });
    const { code, text } = await going;
    expect(text).not.toContain('gone by that');
    expect(code).toBe(0);
    expect(await admin.find(webhookConfigurationPath(WEBHOOKS))).toBeUndefined();
    const { metadata, status } = readObject(await admin.request({ path: hostPath(HOST) }));
    expect(metadata.annotations).toEqual({ 'example.com/rack': '7' });
    expect(metadata.finalizers).toEqual(['baremetalhost.metal3.io', 'example.com/inventory']);
    expect(status['conditions']).toEqual([{ ...CONDITION, type: 'Ready' }]);
    expect(await finalizersOf(hostPath(DELETED))).toContain('baremetalhost.metal3.io');
  });

  test('leaves finalizers while an operator of Metal3 runs, whose they may be', async () => {
    await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: BMO.namespace } });
    await create(deploymentOf('baremetal-operator', BMO));
    const { text } = await uninstalled({ isConfirmed: false });
    const runs = `baremetal-operator runs: Deployment ${BMO.namespace}/${BMO.name}`;
    expect(text).toContain(`left alone: finalizers of hosts, because ${runs}`);
    expect(text).not.toMatch(/^clean: .*baremetalhosts$/m);
    expect(text).toMatch(/^clean: .* 1 ippools$/m);
    await admin.request({ method: 'DELETE', path: objectPath(DEPLOYMENTS, BMO) });
  });

  test('leaves finalizers while an operator of Metal3 writes, wherever it runs', async () => {
    const written = { namespace: METAL, name: 'host-written' };
    await create({ ...aHost(written), metadata: written });
    await admin.request({
      method: 'PATCH',
      path: `${hostPath(written)}/status`,
      query: { fieldManager: 'baremetal-operator' },
      contentType: 'application/merge-patch+json',
      body: {
        status: {
          operationalStatus: 'OK',
          poweredOn: true,
          errorMessage: '',
          provisioning: { state: 'available', ID: 'a' },
        },
      },
    });
    const { text } = await uninstalled({ isConfirmed: false });
    const runs = 'baremetal-operator runs: it has written the status of baremetalhosts.metal3.io metal/host-written';
    expect(text).toContain(`left alone: finalizers of hosts, because ${runs} in the last five minutes`);
    expect(text).not.toMatch(/^clean: .*baremetalhosts$/m);
    await admin.request({ method: 'DELETE', path: hostPath(written) });
  });

  test('removes our finalizers and nothing of others; CRDs and their objects stay, and what was deleted can go', async () => {
    const crds = await definitions();
    const { spec } = readObject(await admin.request({ path: hostPath(HOST) }));
    const { code } = await uninstalled({});
    record.ran(`npx temper uninstall --confirm ${HOME}`);
    expect(code).toBe(0);
    expect(await definitions()).toEqual(crds);
    expect(await finalizersOf(hostPath(HOST))).toEqual(['example.com/inventory']);
    expect(await finalizersOf(hostPath(DELETED))).toEqual(['example.com/inventory']);
    expect(await finalizersOf(objectPath(KINDS.ipPool, POOL))).toEqual([]);
    expect(await finalizersOf(secretPath(SECRET))).toEqual([]);
    expect(readObject(await admin.request({ path: hostPath(HOST) })).spec).toEqual(spec);
  });

  test('has nothing to do a second time', async () => {
    const { code, text } = await uninstalled({});
    expect(text).not.toMatch(/^(?:remove|clean): /m);
    expect(code).toBe(0);
  });

  test('leaves the objects of another Temper alone, and policies that may be its own', async () => {
    for (const name of [STAYING, OTHERS]) await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    // The flag takes precedence.
    const settings = { args: [`--namespace=${OTHERS}`], env: [{ name: 'WATCH_NAMESPACE', value: METAL }] };
    await create(aDeployment('temper-bridge', STAYING, settings));
    const accounts = 'temper-accounts';
    await create(aBinding(accounts, accounts));
    await create(aPolicy('temper-secrets', { paramRef: { name: accounts, parameterNotFoundAction: 'Allow' } }));
    await create(aPolicy('temper-approvals'));
    await create(aHost({ namespace: OTHERS, name: 'host-3' }));
    await create(aHost({ namespace: METAL, name: 'host-4' }));

    const { text } = await uninstalled({ isConfirmed: false });

    expect(text).toContain(`left alone: what the Temper in namespace ${STAYING} cares for`);
    expect(text).toContain('clean: finalizers, annotations and conditions of 1 baremetalhosts');
    expect(text).toMatch(/kubectl delete validatingadmissionpolicy temper-secrets$/m);
    expect(text).not.toContain('temper-approvals');
  });

  test('cleans the pools of a Temper for addresses alone', async () => {
    await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: POOLS } });
    await create(aDeployment('temper-bridge', POOLS, { env: [{ name: 'CONTROLLERS', value: 'addresses' }] }));
    await patchObject(admin, objectPath(KINDS.ipPool, POOL), { metadata: { finalizers: ['ippool.ipam.metal3.io'] } });
    const { text } = await uninstalled({ bridgeNamespace: POOLS, isConfirmed: false });
    expect(text.match(/^clean: .*$/gm)).toEqual(['clean: finalizers, annotations and conditions of 1 ippools']);
  });
});
