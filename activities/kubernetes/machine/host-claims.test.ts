import { beforeEach, describe, expect, test } from 'vitest';
import { occupiedInWords } from '../../../domain/ironic/occupied.ts';
import { type ObjectsInMemory, objectsInMemory } from '../../../test/builders/objects-in-memory.ts';
import { STALE } from '../../../workflows/messages.ts';
import { createHostClaimActivities } from './host-claims.ts';

const API = 'machine.openshift.io/v1beta1';
const FINALIZER = 'machine.machine.openshift.io';
const HOSTS = '/apis/metal3.io/v1alpha1/namespaces/metal/baremetalhosts';
const MACHINE = { namespace: 'metal', name: 'worker-0', api: API };
const CONSUMER = { apiVersion: API, kind: 'Machine', name: 'worker-0', namespace: 'metal' };
const ORDER = { host: { namespace: 'metal', name: 'host-1', uid: 'host-uid' }, machine: MACHINE, clusterName: '' };

let objects: ObjectsInMemory;
let activities: ReturnType<typeof createHostClaimActivities>;
beforeEach(() => {
  objects = objectsInMemory();
  activities = createHostClaimActivities(objects.kube);
});
const aMachine = (metadata: object, status: object = {}, spec: object = {}): Promise<unknown> => {
  const body = { metadata: { name: 'worker-0', namespace: 'metal', uid: 'm', ...metadata }, spec, status };
  return objects.kube.request({ method: 'POST', path: `/apis/${API}/namespaces/metal/machines`, body });
};
const aHost = (spec: object, metadata: object = {}): Promise<unknown> => {
  const body = { metadata: { name: 'host-1', namespace: 'metal', uid: 'host-uid', ...metadata }, spec };
  return objects.kube.request({ method: 'POST', path: HOSTS, body });
};
const host = () => objects.all().get(`${HOSTS}/host-1`);

describe('a host that a Machine of the Machine API claims', () => {
  test('gets it as consumer', async () => {
    await aMachine({ finalizers: [FINALIZER] });
    await aHost({});
    expect(await activities.takeHost(ORDER)).toMatchObject({ kind: 'host', host: { consumer: CONSUMER } });
    expect(host()?.spec).toEqual({ consumerRef: CONSUMER });
  });

  test('tells the versions of its Secret around the labels that it gets and loses', async () => {
    await aMachine({ finalizers: [FINALIZER] });
    await aHost({ bmc: { address: 'redfish://bmc', credentialsName: 'login' } });
    const secrets = '/api/v1/namespaces/metal/secrets';
    const body = { metadata: { name: 'login', namespace: 'metal' } };
    await objects.kube.request({ method: 'POST', path: secrets, body });
    const version = () => objects.all().get(`${secrets}/login`)?.metadata['resourceVersion'];
    const before = version();
    const taken = await activities.takeHost({ ...ORDER, clusterName: 'prod' });
    expect(taken).toMatchObject({ secret: { name: 'login', before, after: version() } });
    expect(version()).not.toBe(before);
    expect(await activities.takeHost({ ...ORDER, clusterName: 'prod' })).not.toHaveProperty('secret');
  });

  test('stays that of a Metal3Machine of the same name', async () => {
    await aMachine({ finalizers: [FINALIZER] });
    const consumerRef = { ...CONSUMER, apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2', kind: 'Metal3Machine' };
    await aHost({ consumerRef });
    expect(await activities.takeHost(ORDER)).toEqual({ kind: 'taken', by: consumerRef });
  });

  test.each([
    ['that lacks its finalizer', { finalizers: [] }, 'it lacks its finalizer'],
    ['that is being deleted', { finalizers: [FINALIZER], deletionTimestamp: 't' }, 'it is being deleted'],
  ])('is not given to one %s', async (_, metadata, why) => {
    await aMachine(metadata);
    await aHost({});
    const message = `claim or change a host: Machine worker-0: ${why}`;
    await expect(activities.takeHost(ORDER)).rejects.toMatchObject({ type: STALE, message });
  });

  test('is not given to one that is moved to Cluster API', async () => {
    await aMachine({ finalizers: [FINALIZER] }, { authoritativeAPI: 'Migrating' });
    await aHost({});
    const message = 'claim or change a host: Machine worker-0: left alone: its authoritative API is Migrating';
    await expect(activities.takeHost(ORDER)).rejects.toMatchObject({ type: STALE, message });
  });

  test.each([
    ['an image', { image: { url: 'http://images/a.raw' } }],
    ['a custom deploy step', { customDeploy: { method: 'install' } }],
    ['a system that others have installed', { externallyProvisioned: true }],
  ])('stays without a consumer when it has %s, although its claim is made up', async (_, spec) => {
    await aMachine({ finalizers: [FINALIZER] });
    await aHost(spec);
    const why = 'is in use without a consumer';
    expect(await activities.takeHost(ORDER)).toEqual({ kind: 'taken', by: null, why });
    expect(host()?.spec).toEqual(spec);
  });

  test.each([
    ['in its annotation', { annotations: { 'metal3.io/BareMetalHost': 'metal/host-1' } }, {}],
    ['in its providerID', {}, { providerID: 'baremetalhost:///metal/host-1/host-uid' }],
  ])('has lost its consumer, runs the Machine that names it %s, and gets it back', async (_, metadata, spec) => {
    await aMachine({ finalizers: [FINALIZER], ...metadata }, {}, spec);
    await aHost({ image: { url: 'http://images/a.raw' } }, { annotations: { 'temper/quarantine': '{}' } });
    expect(await activities.takeHost(ORDER)).toMatchObject({ kind: 'host', host: { consumer: CONSUMER } });
  });

  test.each([
    ['an earlier one of that name', { providerID: 'baremetalhost:///metal/host-1/another-uid' }],
    ['another one', { providerID: 'baremetalhost:///metal/host-2/host-uid' }],
    ['none in its providerID, which goes before its annotation', { providerID: 'aws:///zone/i-1' }],
  ])('and is in use stays without a consumer when the Machine names %s', async (_, spec) => {
    const annotations = { 'metal3.io/BareMetalHost': 'metal/host-1' };
    await aMachine({ finalizers: [FINALIZER], annotations }, {}, spec);
    await aHost({ image: { url: 'http://images/a.raw' } });
    expect(await activities.takeHost(ORDER)).toMatchObject({ kind: 'taken', by: null });
  });

  test('and is in quarantine is not given to it before it runs it, also when the Machine names it', async () => {
    await aMachine({ finalizers: [FINALIZER], annotations: { 'metal3.io/BareMetalHost': 'metal/host-1' } });
    await aHost({}, { annotations: { 'temper/quarantine': '{}' } });
    expect(await activities.takeHost(ORDER)).toEqual({ kind: 'taken', by: null, why: 'is in quarantine' });
  });

  test('stays without a consumer when something runs on it that Temper has not deployed', async () => {
    await aMachine({ finalizers: [FINALIZER] });
    await aHost({});
    const status = { errorMessage: occupiedInWords({ id: 'n', state: 'active' }) };
    await objects.kube.patch(`${HOSTS}/host-1/status`, { status });
    const why = 'runs something that Temper has not deployed';
    expect(await activities.takeHost(ORDER)).toEqual({ kind: 'taken', by: null, why });
    expect(host()?.spec).toEqual({});
  });

  test('is not given to a kind that has no hosts', async () => {
    const order = { ...ORDER, machine: { ...MACHINE, api: 'v1' } };
    await expect(activities.takeHost(order)).rejects.toMatchObject({ type: STALE });
  });
});

describe('a host that runs a Metal3Machine and lost its consumer', () => {
  const GROUP = 'infrastructure.cluster.x-k8s.io/v1beta2';
  const REUSE = 'infrastructure.cluster.x-k8s.io/node-reuse';
  const OWN = { apiVersion: GROUP, kind: 'Metal3Machine', name: 'm3m-1', namespace: 'metal' };
  const take = (): ReturnType<typeof activities.takeHost> =>
    activities.takeHost({ ...ORDER, machine: { namespace: 'metal', name: 'm3m-1' } });
  const aMetal3Machine = (annotation?: string): Promise<unknown> => {
    const annotations = annotation === undefined ? {} : { 'metal3.io/BareMetalHost': annotation };
    const metadata = {
      name: 'm3m-1',
      namespace: 'metal',
      finalizers: ['metal3machine.infrastructure.cluster.x-k8s.io'],
    };
    const spec = { providerID: 'metal3://metal/host-1/m3m-1' };
    const path = `/apis/${GROUP}/namespaces/metal/metal3machines`;
    return objects.kube.request({ method: 'POST', path, body: { metadata: { ...metadata, annotations }, spec } });
  };
  const IMAGE = { image: { url: 'http://images/a.raw' } };

  test.each([
    ['as we write it', 'metal/host-1'],
    ['without a namespace', 'host-1'],
  ])('is given back to the one whose annotation names it %s', async (_, annotation) => {
    await aMetal3Machine(annotation);
    await aHost(IMAGE);
    expect(await take()).toMatchObject({ kind: 'host', host: { consumer: OWN, hasImage: true } });
    expect(host()?.spec).toEqual({ ...IMAGE, consumerRef: OWN });
  });

  test('is given back although it still has the label of a reservation, which it loses', async () => {
    await aMetal3Machine('metal/host-1');
    await aHost(IMAGE, { labels: { [REUSE]: 'md-a' } });
    expect(await take()).toMatchObject({ kind: 'host', host: { consumer: OWN, labels: {} } });
  });

  test.each(['temper/quarantine', 'temper/abort'])(
    'is given back with the annotation %s too, and to no other Metal3Machine',
    async (key) => {
      await aMetal3Machine('metal/host-1');
      await aHost(IMAGE, { annotations: { [key]: '' } });
      expect(await take()).toMatchObject({ kind: 'host', host: { consumer: OWN } });

      objects = objectsInMemory();
      activities = createHostClaimActivities(objects.kube);
      await aMetal3Machine();
      await aHost(IMAGE, { annotations: { [key]: '' } });
      expect(await take()).toEqual({ kind: 'taken', by: null, why: 'is in use without a consumer' });
      expect(host()?.spec).toEqual(IMAGE);
    },
  );

  test.each([
    ['names no host', undefined],
    ['names another host', 'metal/host-2'],
  ])('stays without one when the Metal3Machine %s', async (_, annotation) => {
    await aMetal3Machine(annotation);
    await aHost(IMAGE);
    expect(await take()).toEqual({ kind: 'taken', by: null, why: 'is in use without a consumer' });
    expect(host()?.spec).toEqual(IMAGE);
  });

  test.each([
    ['another Metal3Machine', { ...OWN, name: 'm3m-2' }, {}],
    ['a Cluster', { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'c', namespace: 'metal' }, {}],
    [
      'a Cluster that keeps it for others',
      { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'c', namespace: 'metal' },
      { [REUSE]: 'md-a' },
    ],
  ])('stays with %s that has it by now', async (_, consumerRef, labels) => {
    await aMetal3Machine('metal/host-1');
    await aHost({ ...IMAGE, consumerRef }, { labels });
    expect(await take()).toEqual({ kind: 'taken', by: consumerRef });
    expect(host()?.spec).toEqual({ ...IMAGE, consumerRef });
  });
});

describe('a host that a Machine of the Machine API releases', () => {
  test('has no consumer, and loses the finalizer of former actuators', async () => {
    await aHost({ consumerRef: CONSUMER }, { finalizers: ['mine', FINALIZER] });
    expect(await activities.giveHostBack(ORDER)).toMatchObject({ kind: 'host' });
    expect(host()).toMatchObject({ metadata: { finalizers: ['mine'] } });
    expect(host()?.spec).toEqual({});
  });

  test('loses the annotations of remediations, which would keep it off for its next machine, and no others', async () => {
    const others = { 'reboot.metal3.io/mine': '', mine: '' };
    const annotations = {
      ...others,
      'reboot.metal3.io/metal3-remediation-before-a-move': '',
      'reboot.metal3.io/metal3-remediation-gone': '',
    };
    await aHost({ consumerRef: CONSUMER }, { annotations });
    await activities.giveHostBack(ORDER);
    expect(host()).toHaveProperty(['metadata', 'annotations'], others);
  });

  test('stays with a Machine that is not being deleted', async () => {
    await aMachine({ finalizers: [FINALIZER] });
    await aHost({ consumerRef: CONSUMER });
    await expect(activities.giveHostBack(ORDER)).rejects.toMatchObject({ type: STALE });
    expect(host()?.spec).toEqual({ consumerRef: CONSUMER });
  });
});
