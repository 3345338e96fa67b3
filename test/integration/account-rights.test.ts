import { randomBytes } from 'node:crypto';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { dropFinalizer, hostOwner, markSecret } from '../../activities/kubernetes/secrets.ts';
import { messageOf } from '../../domain/message-of.ts';
import { OPERATORS } from '../../domain/other-operators/operators.ts';
import { codeOf } from '../../domain/steering/code.ts';
import { createSteeringActivities } from '../../k8s-bridge/steering/steer-object.ts';
import { connectKube, type Kube } from '../../kube/client.ts';
import { readMetadata } from '../../kube/objects/metadata.ts';
import { readSecretObject } from '../../kube/objects/secret.ts';
import { leasesNamed } from '../../kube/other-operators.ts';
import { hostPath, secretCollection, secretPath } from '../../kube/paths.ts';
import { tokenOf } from '../../lab/control-plane/account.ts';
import type { Manifest } from '../../lab/control-plane/manifest.ts';
import { applyObject, createPaths } from '../../lab/control-plane/objects.ts';
import { kubectlPath, rendered } from '../builders/rendered.ts';
import { createSecretWrites } from './account-rights/secret-writes.ts';
import { accountsOf } from './accounts.ts';

/**
 * What the accounts of bridge and workers may do to Secrets, with the roles and the policy of an installation, on a real
 * API server. Their roles hold in the namespace of this file alone. Requests of the bridge under its usual names are
 * left out, because they would count as needed (scripts/rights).
 */
const INSTALLATIONS = [
  { folder: 'kubernetes/overlays/cert-manager', home: 'temper-system', accounts: ['temper-workers'] },
  { folder: 'clusterctl/infrastructure', home: 'capm3-system', accounts: ['capm3-workers'] },
  { folder: 'an overlay of their own', home: 'bare-metal', accounts: ['team-temper-workers', 'team-temper-bridge'] },
] as const;
/** The bridge of this one makes the certificate of its webhooks itself. */
const OWN_OVERLAY = { namespace: 'bare-metal', namePrefix: 'team-', of: 'overlays/self-managed' };
const APPLIED = ['Namespace', 'ServiceAccount', 'ClusterRole', 'Role', 'ClusterRoleBinding', 'RoleBinding'];
const POLICY = 'ValidatingAdmissionPolicy';
const SERVICE_ACCOUNT_TOKEN = 'kubernetes.io/service-account-token';
const PATIENCE = { timeout: 300_000, interval: 250 };

const admin = connectKube(inject('kubeconfig'));
const opened: Kube[] = [admin];
afterAll(() => Promise.all(opened.map((kube) => kube.close())));

/** As an installation has them, but for roles, which hold in this namespace alone. */
function moved(object: Manifest, home: string, namespace: string): Manifest {
  const { namespace: _, ...metadata } = object.metadata;
  switch (object.kind) {
    case 'ServiceAccount':
      return { ...object, metadata: { ...metadata, namespace: home } };
    case 'ClusterRoleBinding':
      // The parameter of the policy, with rights that hold in no namespace.
      if (metadata.name.endsWith('-accounts')) return object;
      return { ...object, kind: 'RoleBinding', metadata: { ...metadata, namespace } };
    case 'Role':
    case 'RoleBinding':
      return { ...object, metadata: { ...metadata, namespace } };
    default:
      return { ...object, metadata };
  }
}

/** Renders an overlay as people write it for namespaces and names of their own. */
async function ownOverlay(): Promise<readonly unknown[]> {
  const dir = await mkdtemp(join(tmpdir(), 'temper-overlay-'));
  try {
    const { of, ...changes } = OWN_OVERLAY;
    const base = fileURLToPath(new URL(`../../deploy/kubernetes/${of}`, import.meta.url));
    const kustomization = { ...changes, resources: [relative(await realpath(dir), base)] };
    await writeFile(join(dir, 'kustomization.yaml'), JSON.stringify(kustomization));
    const { stdout } = await execa(await kubectlPath(), ['kustomize', dir]);
    return parseAllDocuments(stdout).map((document) => document.toJS() as unknown);
  } finally {
    await rm(dir, { recursive: true });
  }
}

describe.each(INSTALLATIONS)('with the accounts of $folder', ({ folder, home, accounts }) => {
  const namespace = `accounts-${randomBytes(4).toString('hex')}`;
  let workers: Kube;
  /** Paths of what holds in the whole cluster, and would meet that of other files. */
  const policies: string[] = [];
  /** The workers and, in an installation under names of its own, the bridge. */
  const all: Kube[] = [];

  const create = (kube: Kube, name: string, more: object): Promise<unknown> => {
    const { metadata, ...rest } = { metadata: {}, ...more };
    const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name, ...metadata }, ...rest };
    return kube.request({ method: 'POST', path: secretCollection(namespace), body });
  };
  const answer = (asked: Promise<unknown>): Promise<string> => asked.then(() => 'done', messageOf);
  const aToken = {
    type: SERVICE_ACCOUNT_TOKEN,
    metadata: { annotations: { 'kubernetes.io/service-account.name': 'default' } },
  };
  const path = (name: string): string => secretPath({ namespace, name });
  const read = async (name: string) => readSecretObject(await admin.find(path(name)));
  const writes = createSecretWrites(admin, namespace);

  beforeAll(async () => {
    const objects = (await (folder === 'an overlay of their own'
      ? ownOverlay()
      : rendered(folder))) as readonly Manifest[];
    const pathsOf = createPaths(admin);
    const apply = async (object: Manifest): Promise<void> =>
      void (await applyObject(admin, (await pathsOf(object)).object, object));
    await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const ofAccounts = ({ kind, metadata }: Manifest): boolean =>
      kind.startsWith(POLICY) && (home === OWN_OVERLAY.namespace || !metadata.name.includes('approvals'));
    for (const object of objects.filter((one) => APPLIED.includes(one.kind) || ofAccounts(one))) {
      await apply(moved(object, home, namespace));
      if (ofAccounts(object)) policies.push((await pathsOf(object)).object);
    }
    const { kubeconfigOf } = accountsOf(admin, inject('kubeconfig'));
    for (const name of accounts) {
      const kube = connectKube(await kubeconfigOf(await tokenOf(admin, { namespace: home, name })));
      all.push(kube);
      opened.push(kube);
    }
    [workers] = all as [Kube];
    await create(admin, 'token', aToken);
    await create(admin, 'plain', {
      stringData: { some: 'thing' },
      metadata: { annotations: { a: 'b' }, labels: { of: 'b' } },
    });
    await create(admin, 'bmc', { stringData: { username: 'a', password: 'b' } });
    // The API server learns of a policy a moment after it is stored.
    const isActive = async (): Promise<boolean> =>
      (await answer(create(workers, 'probe', aToken))).includes('no Secrets with tokens of accounts');
    await vi.waitUntil(isActive, PATIENCE);
  });

  afterAll(async () => {
    for (const each of policies) await admin.request({ method: 'DELETE', path: each });
  });

  const owners = [
    { apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2', kind: 'Metal3Data', name: 'data-0', uid: 'u' },
  ];
  const type = 'infrastructure.cluster.x-k8s.io/secret';

  test.each([
    ['the token of an account', aToken, 'no Secrets with tokens'],
    [
      'the token of an account that a Metal3Data owns',
      { ...aToken, metadata: { ...aToken.metadata, ownerReferences: owners } },
      'no Secrets with tokens',
    ],
    ['a Secret of the usual type', { stringData: { a: 'b' } }, 'rendered data of a Metal3Data alone'],
    ['a token to join the cluster', { type: 'bootstrap.kubernetes.io/token' }, 'rendered data of a Metal3Data alone'],
    ['data without an owner', { type, stringData: { metaData: '' } }, 'rendered data of a Metal3Data alone'],
    [
      'data of another owner',
      { type, metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'u' }] } },
      'rendered data of a Metal3Data alone',
    ],
    [
      'other data of a Metal3Data',
      { type, metadata: { ownerReferences: owners }, stringData: { value: '' } },
      'rendered data of a Metal3Data alone',
    ],
  ])('workers create no %s', async (_, body, words) => {
    expect(await answer(create(workers, 'made', body))).toContain(words);
    expect(await admin.find(path('made'))).toBeUndefined();
  });

  test.each([
    ['data', 'plain', { data: { some: 'Yg==' } }, 'only labels, finalizers and owners'],
    ['the data of a token', 'token', { data: { token: 'Yg==' } }, 'only labels, finalizers and owners'],
    ['more data', 'plain', { stringData: { other: 'b' } }, 'only labels, finalizers and owners'],
    ['no data', 'plain', { data: null }, 'only labels, finalizers and owners'],
    ['annotations', 'plain', { metadata: { annotations: { a: 'c' } } }, 'only labels, finalizers and owners'],
    ['whether it may change', 'plain', { immutable: true }, 'only labels, finalizers and owners'],
    ['another type', 'plain', { type: SERVICE_ACCOUNT_TOKEN }, 'type'],
    ['labels of others', 'plain', { metadata: { labels: { theirs: 'x' } } }, 'only their own labels'],
    ['a label of others, which it removes,', 'plain', { metadata: { labels: { of: null } } }, 'only their own labels'],
    ['finalizers of others', 'plain', { metadata: { finalizers: ['example.com/x'] } }, 'only their own finalizer'],
    [
      'an owner of another kind',
      'bmc',
      { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'u' }] } },
      'hosts owners of Secrets with a user name',
    ],
    [
      'a host as owner of a token, which would be deleted with it',
      'token',
      { metadata: { ownerReferences: [hostOwner({ namespace, name: 'h', uid: 'u' })] } },
      'hosts owners of Secrets with a user name',
    ],
    [
      'a host as owner of something else',
      'plain',
      { metadata: { ownerReferences: [hostOwner({ namespace, name: 'h', uid: 'u' })] } },
      'hosts owners of Secrets with a user name',
    ],
  ])('neither account writes %s to somebody’s Secret', async (_, name, patch, words) => {
    const before = await admin.find(path(name));
    for (const kube of all) expect(await answer(kube.patch(path(name), patch))).toContain(words);
    expect(await admin.find(path(name))).toEqual(before);
  });

  test('neither account makes another object of an owner, with which somebody’s Secret would be deleted', async () => {
    const { uid } = readMetadata(await admin.find(path('plain')));
    const metadata = { ownerReferences: [{ apiVersion: 'v1', kind: 'Secret', name: 'plain', uid }] };
    await create(admin, 'owned', { metadata, stringData: { username: 'a', password: 'b' } });
    const nobody = { apiVersion: 'v1', kind: 'Secret', name: 'nobody', uid };
    for (const kube of all) {
      for (const owner of [nobody, hostOwner({ namespace, name: 'nobody', uid })])
        expect(await answer(kube.patch(path('owned'), { metadata: { ownerReferences: [owner] } }))).toContain(
          'hosts owners of Secrets with a user name',
        );
    }
    expect(readMetadata(await admin.find(path('owned'))).ownerReferences).toMatchObject(metadata.ownerReferences);
  });

  test('a Secret that 500 hosts share gets one more, and is released', async () => {
    // Garbage collection knows no such kind, so it leaves the Secret alone.
    const ownerReferences = Array.from({ length: 500 }, (_, at) => ({
      apiVersion: 'example.com/v1',
      kind: 'BareMetalHost',
      name: `host-${at}`,
      uid: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
    }));
    await create(admin, 'shared', { metadata: { ownerReferences }, stringData: { username: 'a', password: 'b' } });
    const owner = hostOwner({ namespace, name: 'h', uid: 'u' });
    for (const kube of all) {
      const { refusal } = await markSecret(kube, await read('shared'), { hold: true, owner });
      expect(refusal).toBeUndefined();
      await dropFinalizer(kube, path('shared'), 'baremetalhost.metal3.io/secret');
      await admin.patch(path('shared'), { metadata: { ownerReferences } });
    }
  });

  const LABEL = { 'environment.metal3.io': 'baremetal' };
  const OF_CLUSTER = { 'cluster.x-k8s.io/cluster-name': 'prod' };
  const finalizers = ['baremetalhost.metal3.io/secret'];
  const NOTHING = { labels: {}, finalizers: [], owners: [] };

  test('workers mark the Secrets of a host, and release them with it', async () => {
    const { credentials, held, released } = await writes.ofAHost(workers, 'host');
    expect(credentials).not.toHaveProperty('refusal');
    const marks = { bmc: { labels: LABEL, owners: ['host'] }, net: { labels: LABEL, owners: [] } };
    const user = { labels: LABEL, finalizers: [], owners: [] };
    expect(held).toEqual({ bmc: { ...marks.bmc, finalizers }, net: { ...marks.net, finalizers }, user });
    expect(released).toEqual({ bmc: { ...marks.bmc, finalizers: [] }, net: { ...marks.net, finalizers }, user });
  });

  test('workers label the Secret of a host with the Cluster of its machine, for as long as it has that', async () => {
    const { answers, taken, givenBack } = await writes.ofAMachine(workers, 'machine');
    for (const each of answers) {
      expect(each).toMatchObject({ kind: 'host', secret: { name: 'machine-bmc' } });
      expect(each).not.toHaveProperty('refused');
    }
    expect([taken, givenBack]).toEqual([{ ...NOTHING, labels: OF_CLUSTER }, NOTHING]);
  });

  test('workers write the rendered data of a machine', async () => {
    expect(await writes.ofItsData(workers, 'data')).toEqual({ answer: 'done', keys: ['metaData', 'networkData'] });
  });

  describe.each(accounts.filter((account) => account === 'team-temper-bridge'))('the bridge, as %s,', () => {
    const bridge = (): Kube => all[1] as Kube;

    test('releases each kind of Secret that a host has left behind', async () => {
      expect(await writes.leftBehind(workers, bridge())).toEqual({
        old: NOTHING,
        ofTheAgent: NOTHING,
        read: { labels: LABEL, finalizers: [], owners: [] },
        shared: { labels: LABEL, finalizers, owners: ['other'] },
        failures: [],
      });
    });

    test('labels the Secret of a deploy image', async () => {
      expect(await writes.ofAnImage(bridge(), 'of-image')).toEqual({ ...NOTHING, labels: LABEL });
    });

    test('lists the Leases of other operators by their names, and no others', async () => {
      for (const { lease } of OPERATORS) expect(await leasesNamed(bridge(), lease, namespace)).toEqual([]);
      expect(await answer(leasesNamed(bridge(), 'of-somebody', namespace))).toContain('cannot list resource "leases"');
    });

    test('makes the certificate of its webhooks', async () => {
      expect(await writes.ofTheWebhooks(bridge())).toEqual({ isServed: true });
    });
  });

  test('others may do what they may do', async () => {
    expect(await answer(create(admin, 'others-token', aToken))).toBe('done');
    expect(await answer(admin.patch(path('plain'), { metadata: { annotations: { other: 'x' } } }))).toBe('done');
  });

  // Without components/approvals-by-message.
  test.each(accounts.filter((account) => account === 'team-temper-bridge'))(
    'a message with an answer is refused with the command to use, because the account %s may not answer for others',
    async () => {
      const bridge = all[1] as Kube;
      const host = { namespace, name: 'guarded' };
      const spec = { online: false };
      const body = { apiVersion: 'metal3.io/v1alpha1', kind: 'BareMetalHost', metadata: { name: host.name }, spec };
      const collection = hostPath({ namespace, name: '' }).replace(/\/$/, '');
      const { uid } = readMetadata(await admin.request({ method: 'POST', path: collection, body }));
      const code = codeOf(uid, 'provision', {});
      const awaits = { for: 'approval', code, does: 'write an image', of: [] } as const;
      const activities = createSteeringActivities({
        kube: bridge,
        announce: () => Promise.resolve(),
        now: Date.now,
        onAnnotationRefused: () => undefined,
      });
      const approve = () =>
        activities.steerHost({
          object: { ...host, uid },
          id: 'm1',
          requestedAt: Date.now(),
          known: { state: 'available', hasError: false, awaits },
          message: { name: 'approve', code, by: 'ada', reason: 'go' },
        });
      const command = `kubectl -n ${namespace} annotate --overwrite bmh guarded temper/approval-given='${code} USER WHY'`;
      expect(await approve()).toEqual({ kind: 'refused', why: expect.stringContaining(command) as unknown });
      expect(readMetadata(await admin.find(hostPath(host))).annotations).toEqual({});
    },
  );

  test.each(accounts.map((account, index) => ({ account, index })))(
    'the certificate of the webhooks is written by the bridge alone, where it makes that: $account',
    async ({ account, index }) => {
      const kube = all[index] as Kube;
      const own = 'temper-webhook-server-cert';
      const body = { stringData: { 'tls.crt': '' } };
      expect(await answer(create(kube, own, aToken))).toContain('no Secrets with tokens');
      expect(await answer(create(kube, 'another', body))).toContain('rendered data');
      const created = await answer(create(kube, own, body));
      await create(admin, own, body).catch(() => undefined);
      const patched = await answer(kube.patch(path(own), { stringData: { 'tls.crt': 'x' } }));
      await admin.request({ method: 'DELETE', path: path(own) });
      const [making, changing] = account.endsWith('bridge') ? ['done', 'done'] : ['rendered data', 'only labels'];
      expect([created, patched]).toEqual([
        expect.stringContaining(making ?? ''),
        expect.stringContaining(changing ?? ''),
      ]);
    },
  );
});
