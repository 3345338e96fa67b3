import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createKubernetesActivities } from '../../activities/kubernetes/activities.ts';
import { createHostData } from '../../activities/kubernetes/host/host-data.ts';
import { hostOwner } from '../../activities/kubernetes/secrets.ts';
import type { HostRef } from '../../domain/ironic/orders.ts';
import type { WorkerMeasurement } from '../../domain/metrics/definitions.ts';
import { connectKube } from '../../kube/client.ts';
import { hardwareDataPath, hostPath, secretPath } from '../../kube/paths.ts';
import { forbid, named, unchanged, untilForbidden } from '../builders/policy.ts';
import { accountsOf } from './accounts.ts';
import { hostsAndSecrets } from './kubernetes-activities/scene.ts';

const { kube, namespace, begin, aHost, aSecret, metadataOf } = hostsAndSecrets();
/** The measurements so far. */
const counts: WorkerMeasurement[] = [];
const data = createHostData(kube, (measurement) => void counts.push(measurement));
const activities = createKubernetesActivities({ kube, defaultArchitecture: 'x86_64' });

beforeAll(begin);
afterAll(() => kube.close());

const HELD = { finalizers: ['example.com/keeps'] };
const leave = (host: HostRef): Promise<unknown> => kube.request({ method: 'DELETE', path: hostPath(host) });

describe('BMC credentials', () => {
  test('are read trimmed, and the Secret is claimed with them', async () => {
    const host = await aHost('claimed');
    await aSecret('claimed-bmc', { username: ' admin\n', password: '\tpass word ' }, { labels: { mine: 'yes' } });

    const answer = await data.bmcCredentials(host, 'claimed-bmc', { claim: true });

    const metadata = await metadataOf(secretPath({ namespace, name: 'claimed-bmc' }));
    const version = metadata.resourceVersion;
    expect(answer).toEqual({ kind: 'ok', username: 'admin', password: 'pass word', version });
    expect(metadata).toMatchObject({
      labels: { mine: 'yes', 'environment.metal3.io': 'baremetal' },
      finalizers: ['baremetalhost.metal3.io/secret'],
      ownerReferences: [{ apiVersion: 'metal3.io/v1alpha1', kind: 'BareMetalHost', name: 'claimed', uid: host.uid }],
    });
    expect(metadata.ownerReferences?.[0]?.controller).toBeUndefined();
  });

  test('that are claimed already are not written again', async () => {
    const host = await aHost('twice');
    await aSecret('twice-bmc', { username: 'a', password: 'b' });

    const first = await data.bmcCredentials(host, 'twice-bmc', { claim: true });

    expect(await data.bmcCredentials(host, 'twice-bmc', { claim: true })).toEqual(first);
  });

  test('that 150 hosts share are claimed by all of them at once, without a conflict', async () => {
    await aSecret('rack-bmc', { username: 'a', password: 'b' });
    const hosts = await Promise.all(Array.from({ length: 150 }, (_, at) => aHost(`sharing-${at}`)));
    const codes: string[] = [];
    const counting = connectKube(inject('kubeconfig'), { count: ({ code }) => void codes.push(code) });
    const sharing = createHostData(counting, () => undefined);
    const answers = await Promise.allSettled(
      hosts.map((host) => sharing.bmcCredentials(host, 'rack-bmc', { claim: true })),
    );
    await counting.close();
    expect(answers.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect(codes.filter((code) => code !== '200')).toEqual([]);
    const { ownerReferences } = await metadataOf(secretPath({ namespace, name: 'rack-bmc' }));
    expect(ownerReferences).toHaveLength(150);
  });

  test('can be read without a claim', async () => {
    const host = await aHost('free');
    await aSecret('free-bmc', { username: 'a', password: 'b' });
    await data.bmcCredentials(host, 'free-bmc', { claim: false });
    expect((await metadataOf(secretPath({ namespace, name: 'free-bmc' }))).finalizers).toBeUndefined();
  });

  test('of another namespace cannot be read, whatever name is given', async () => {
    const host = await aHost('curious');
    const elsewhere = `${namespace}-elsewhere`;
    await kube.request({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: elsewhere } } });
    const body = { metadata: { name: 'theirs' }, stringData: { username: 'admin', password: 'secret' } };
    await kube.request({ method: 'POST', path: `/api/v1/namespaces/${elsewhere}/secrets`, body });
    for (const name of [`../../${elsewhere}/secrets/theirs`, `..%2F..%2F${elsewhere}%2Fsecrets%2Ftheirs`]) {
      expect(await data.bmcCredentials(host, name, { claim: true })).toMatchObject({ kind: 'missing' });
    }
  });

  test('that can not be read, or not be claimed, are neither missing nor wrong, and are counted', async () => {
    const host = await aHost('blocked');
    await aSecret('blocked-bmc', { username: 'a', password: 'b' });
    const name = 'metal3_credentials_unhandled_error_total';
    const count = () => counts.filter((measurement) => measurement.name === name).length;
    const before = count();
    const accounts = accountsOf(kube, inject('kubeconfig'));
    await accounts.bind(namespace, 'reader', 'secrets-reader', {
      apiGroups: [''],
      resources: ['secrets'],
      verbs: ['get'],
    });
    for (const account of ['nobody', 'reader']) {
      const theirs = connectKube(await accounts.kubeconfigOf(await accounts.tokenOf(namespace, account)));
      const blocked = createHostData(theirs, (measurement) => void counts.push(measurement));
      await expect(blocked.bmcCredentials(host, 'blocked-bmc', { claim: true })).rejects.toThrow('403');
      await theirs.close();
    }
    expect(count() - before).toBe(2);
  });

  test('that a cancelled activity asks for are not claimed, and not counted as an error', async () => {
    const host = await aHost('cancelled');
    await aSecret('cancelled-bmc', { username: 'a', password: 'b' });
    const before = counts.length;
    const signal = AbortSignal.abort(new Error('the host is released'));
    await expect(data.bmcCredentials(host, 'cancelled-bmc', { claim: true, signal })).rejects.toThrow(
      'the host is released',
    );
    expect(counts.slice(before)).toEqual([]);
    expect((await metadataOf(secretPath({ namespace, name: 'cancelled-bmc' }))).finalizers).toBeUndefined();
  });

  test('may be shared by two hosts', async () => {
    const hosts = [await aHost('shared-1'), await aHost('shared-2')];
    await aSecret('shared-bmc', { username: 'a', password: 'b' });

    await Promise.all(hosts.map((host) => data.bmcCredentials(host, 'shared-bmc', { claim: true })));

    const { ownerReferences = [] } = await metadataOf(secretPath({ namespace, name: 'shared-bmc' }));
    expect(ownerReferences.map(({ uid }) => uid).toSorted()).toEqual(hosts.map(({ uid }) => uid).toSorted());
  });

  test('of an old controlling owner are handed to a plain one', async () => {
    const host = await aHost('formerly');
    const owner = { apiVersion: 'metal3.io/v1alpha1', kind: 'BareMetalHost', name: host.name, uid: host.uid };
    const ownerReferences = [{ ...owner, controller: true }];
    await aSecret('formerly-bmc', { username: 'a', password: 'b' }, { ownerReferences });

    await data.bmcCredentials(host, 'formerly-bmc', { claim: true });

    expect((await metadataOf(secretPath({ namespace, name: 'formerly-bmc' }))).ownerReferences).toEqual([owner]);
  });

  test.each([
    ['', {}, 'invalid', 'No BMC CredentialsName defined The BMC secret reference is empty'],
    ['none', null, 'missing', "BMC CredentialsName secret doesn't exist The BMC secret NAMESPACE/none does not exist"],
    [
      'nameless',
      { password: 'b' },
      'invalid',
      "Validation error with BMC credentials: Missing BMC connection detail 'username' in credentials",
    ],
    [
      'blank',
      { username: 'a', password: '  ' },
      'invalid',
      "Validation error with BMC credentials: Missing BMC connection details 'password' in credentials",
    ],
  ])('named "%s" are reported in the words users know', async (name, content, kind, message) => {
    const host = { namespace, name: 'any', uid: '0' };
    if (content !== null && name !== '') await aSecret(name, content);
    const answer = await data.bmcCredentials(host, name, { claim: false });
    expect(answer).toMatchObject({ kind, message: message.replace('NAMESPACE', namespace) });
  });
});

describe("a host's data", () => {
  const host: HostRef = { namespace, name: 'any', uid: '0' };

  test('is read from its own key, else from `value`, and the Secret is labelled', async () => {
    await aSecret('own', { userData: '#cloud-config', value: 'other' });
    await aSecret('general', { value: 'links: []' });
    expect(await data.hostData(host, { name: 'own' }, 'userData')).toMatchObject({
      key: 'userData',
      text: '#cloud-config',
    });
    const general = await data.hostData(host, { name: 'general', namespace }, 'networkData');
    expect(general).toMatchObject({ secret: 'general', key: 'value', text: 'links: []' });
    const { labels, finalizers } = await metadataOf(secretPath({ namespace, name: 'own' }));
    expect({ labels, finalizers }).toEqual({ labels: { 'environment.metal3.io': 'baremetal' } });
  });

  test('is nothing without a reference', async () => {
    expect(await data.hostData(host, undefined, 'userData')).toBeUndefined();
    expect(await data.hostData(host, {}, 'userData')).toBeUndefined();
  });

  test('of a network may be empty, other data may not; both are counted', async () => {
    counts.length = 0;
    await aSecret('empty', { something: 'else' });
    expect(await data.hostData(host, { name: 'empty' }, 'networkData')).toMatchObject({
      text: '',
      unreadKeys: ['something'],
    });
    await expect(data.hostData(host, { name: 'empty' }, 'metaData')).rejects.toThrow(
      'Secret empty does not contain key metaData, nor value; nobody reads something',
    );
    expect(counts).toEqual([
      { name: 'metal3_host_config_data_error_total', labels: { host_data_type: 'networkData' } },
      { name: 'metal3_host_config_data_error_total', labels: { host_data_type: 'metaData' } },
    ]);
  });

  test('is not read from another namespace', async () => {
    await expect(data.hostData(host, { name: 'own', namespace: 'default' }, 'userData')).rejects.toThrow(
      `userData secret must be in same namespace as host ${namespace}/any`,
    );
  });

  test('that does not exist is an error', async () => {
    await expect(data.hostData(host, { name: 'nowhere' }, 'userData')).rejects.toThrow(
      `failed to fetch secret nowhere in namespace ${namespace}: secrets "nowhere" not found`,
    );
  });
});

describe('found hardware', () => {
  test('is stored in a HardwareData of the host, and replaced by the next inventory', async () => {
    const host = await aHost('inspected');
    await data.saveHardware(host, { hostname: 'first', ramMebibytes: 1024 });
    await data.saveHardware(host, { hostname: 'second' });

    expect(await data.readHardware(host)).toEqual({ hostname: 'second' });
    const { ownerReferences, finalizers } = await metadataOf(hardwareDataPath(host));
    expect(finalizers).toEqual(['baremetalhost.metal3.io/hardwareData']);
    expect(ownerReferences).toMatchObject([{ kind: 'BareMetalHost', uid: host.uid, controller: true }]);
  });

  test('is written once when it is the same', async () => {
    const host = await aHost('inspected-again');
    await data.saveHardware(host, { hostname: 'same' });
    const before = await metadataOf(hardwareDataPath(host));
    await data.saveHardware(host, { hostname: 'same' });
    expect(await metadataOf(hardwareDataPath(host))).toEqual(before);
  });

  test('is not written for a host that is gone, of which Kubernetes would delete it', async () => {
    const host = await aHost('known');
    await data.saveHardware(host, { hostname: 'first' });
    const before = await kube.find(hardwareDataPath(host));
    for (const made of [
      { ...host, uid: 'made-up' },
      { ...host, name: 'nobody' },
    ]) {
      const refusal = { type: 'Stale', nonRetryable: true };
      await expect(data.saveHardware(made, { hostname: 'second' })).rejects.toMatchObject(refusal);
    }
    expect(await kube.find(hardwareDataPath(host))).toEqual(before);
    expect(await kube.find(hardwareDataPath({ namespace, name: 'nobody' }))).toBeUndefined();
  });

  test('is undefined for a host that was not inspected', async () => {
    expect(await data.readHardware({ namespace, name: 'unknown', uid: '0' })).toBeUndefined();
  });
});

describe('a host that is released', () => {
  test('holds neither its Secrets nor its HardwareData any more, and others hold on', async () => {
    const host = await aHost('leaving', HELD);
    const finalizers = ['my.own/finalizer'];
    await aSecret('leaving-bmc', { username: 'a', password: 'b' }, { finalizers });
    await aSecret('leaving-network', { value: '' }, { finalizers });
    await data.claimedNetworkData(host, 'leaving-network');
    await data.bmcCredentials(host, 'leaving-bmc', { claim: true });
    await data.saveHardware(host, { hostname: 'x' });

    const order = { host, credentialsName: 'leaving-bmc', preprovisioningNetworkDataName: 'leaving-network' };
    await leave(host);
    await activities.releaseHost(order);
    await activities.releaseHost(order);

    expect((await metadataOf(secretPath({ namespace, name: 'leaving-bmc' }))).finalizers).toEqual(finalizers);
    // Nobody owns a Secret with network data: the bridge, which knows all hosts, lets it go.
    expect((await metadataOf(secretPath({ namespace, name: 'leaving-network' }))).finalizers).toHaveLength(2);
    expect((await metadataOf(hardwareDataPath(host))).finalizers).toBeUndefined();
  });

  test('leaves a Secret that another host owns too, and one of which only the bridge knows who uses it', async () => {
    const [host, other] = [await aHost('sharing', HELD), await aHost('shares-on')];
    await aSecret('co-owned-bmc', { username: 'a', password: 'b' });
    await aSecret('co-used-network', { value: '' });
    for (const each of [host, other]) await data.bmcCredentials(each, 'co-owned-bmc', { claim: true });
    await data.claimedNetworkData(host, 'co-used-network');
    await leave(host);
    const preprovisioningNetworkDataName = 'co-used-network';
    await activities.releaseHost({ host, credentialsName: 'co-owned-bmc', preprovisioningNetworkDataName });
    for (const name of ['co-owned-bmc', 'co-used-network'])
      expect((await metadataOf(secretPath({ namespace, name }))).finalizers).toHaveLength(1);
    const last = await aHost('shares-last', HELD);
    await kube.request({ method: 'DELETE', path: hostPath(other) });
    await data.bmcCredentials(last, 'co-owned-bmc', { claim: true });
    await leave(last);
    await kube.patch(hostPath(host), { metadata: { finalizers: [] } });
    await activities.releaseHost({ host: last, credentialsName: 'co-owned-bmc' });
    expect((await metadataOf(secretPath({ namespace, name: 'co-owned-bmc' }))).finalizers).toBeUndefined();
  });

  test('is being deleted, or gone: of any other, nothing is released by an order alone', async () => {
    const host = await aHost('stays');
    await aSecret('stays-bmc', { username: 'a', password: 'b' });
    await data.bmcCredentials(host, 'stays-bmc', { claim: true });
    await data.saveHardware(host, { hostname: 'x' });
    for (const made of [host, { ...host, uid: 'made-up' }]) {
      const released = activities.releaseHost({ host: made, credentialsName: 'stays-bmc' });
      const message = 'release what a host holds: BareMetalHost stays: it is not being deleted';
      await expect(released).rejects.toMatchObject({ type: 'Stale', nonRetryable: true, message });
    }
    expect((await metadataOf(secretPath({ namespace, name: 'stays-bmc' }))).finalizers).toHaveLength(1);
    expect((await metadataOf(hardwareDataPath(host))).finalizers).toHaveLength(1);
  });

  test('may lack all of them', async () => {
    const host = { namespace, name: 'bare', uid: '0' };
    await expect(activities.releaseHost({ host, credentialsName: 'nowhere' })).resolves.toBeUndefined();
    for (const credentialsName of ['../x', 'a/b', '{}', '%', '?', ' ', '.']) {
      await expect(activities.releaseHost({ host, credentialsName })).resolves.toBeUndefined();
    }
    await expect(activities.releaseHost({ host })).resolves.toBeUndefined();
  });
});

describe('Secrets that a policy forbids us to change', () => {
  const MESSAGE = 'Secrets are our business';
  const metadata = { labels: { mine: 'yes' }, finalizers: ['my.own/finalizer', 'baremetalhost.metal3.io/secret'] };
  const refusalWith = (words: string) => ({
    type: 'ApiServerRefused',
    nonRetryable: true,
    message: expect.stringContaining(words) as unknown,
  });
  beforeAll(async () => {
    const allows = named('strict', `${unchanged('labels')} && ${unchanged('finalizers')}`);
    await forbid(kube, { namespace, name: 'secrets', resources: ['secrets'], allows, message: MESSAGE });
    await aSecret('strict-probe', { a: 'b' });
    await untilForbidden(kube, secretPath({ namespace, name: 'strict-probe' }));
  });

  test('are read without our marks, which is reported', async () => {
    const host = await aHost('strict');
    await aSecret('strict-bmc', { username: 'admin', password: 'password' });
    const answer = await data.bmcCredentials(host, 'strict-bmc', { claim: true });
    const refusal = expect.stringContaining(MESSAGE) as unknown;
    expect(answer).toMatchObject({ kind: 'ok', username: 'admin', refusal });
    await aSecret('strict-user', { value: 'text' });
    expect(await data.hostData(host, { name: 'strict-user' }, 'userData')).toMatchObject({ text: 'text' });
  });

  test('keep a host from being gone, which is reported at once, and nothing else of it is held any longer', async () => {
    const host = await aHost('strict-leaving', HELD);
    const owned = { ...metadata, ownerReferences: [hostOwner(host)] };
    await aSecret('strict-leaving-bmc', { username: 'a', password: 'b' }, owned);
    await data.saveHardware(host, { hostname: 'x' });
    await leave(host);
    const order = { host, credentialsName: 'strict-leaving-bmc' };
    await expect(activities.releaseHost(order)).rejects.toMatchObject(refusalWith(MESSAGE));
    expect((await metadataOf(hardwareDataPath(host))).finalizers).toBeUndefined();
  });

  test('and objects that a quota forbids are reported at once', async () => {
    const place = `${namespace}-quota`;
    await kube.request({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: place } } });
    const quota = { metadata: { name: 'none' }, spec: { hard: { 'count/hardwaredata.metal3.io': '0' } } };
    await kube.request({ method: 'POST', path: `/api/v1/namespaces/${place}/resourcequotas`, body: quota });
    // The quota counts once its status does, which a controller writes that the lab does not run.
    await kube.patch(`/api/v1/namespaces/${place}/resourcequotas/none/status`, {
      status: { hard: quota.spec.hard, used: { 'count/hardwaredata.metal3.io': '0' } },
    });
    const saving = data.saveHardware(await aHost('without-quota', {}, place), { hostname: 'x' });
    await expect(saving).rejects.toMatchObject(refusalWith('exceeded quota: none'));
  });
});

describe('the login for a registry', () => {
  const host = { namespace, name: 'puller', uid: 'u' };

  test('is read from a Secret as kubectl makes it, which is labelled and nothing more', async () => {
    const config = JSON.stringify({ auths: { 'quay.io': { username: 'me', password: 'secret' } } });
    await aSecret('pull', { '.dockerconfigjson': config }, {}, 'kubernetes.io/dockerconfigjson');

    expect(await data.registryLogin(host, 'pull', 'oci://quay.io/os:1')).toEqual({ kind: 'ok', login: 'me:secret' });

    const { labels, finalizers, ownerReferences } = await metadataOf(secretPath({ namespace, name: 'pull' }));
    expect({ labels, finalizers, ownerReferences }).toEqual({ labels: { 'environment.metal3.io': 'baremetal' } });
  });

  test('is missed by name', async () => {
    expect(await data.registryLogin(host, 'nowhere', 'oci://quay.io/os:1')).toEqual({
      kind: 'missing',
      message: `auth secret "nowhere" not found in namespace "${namespace}"`,
    });
  });

  test('is not looked for in a Secret of another type', async () => {
    await aSecret('opaque-pull', { '.dockerconfigjson': '{}' });
    expect(await data.registryLogin(host, 'opaque-pull', 'oci://quay.io/os:1')).toMatchObject({
      kind: 'invalid',
      warning: { reason: 'ImageAuthFormatUnsupported' },
    });
  });
});
