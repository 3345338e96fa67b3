import { beforeEach, describe, expect, test } from 'vitest';
import { MACHINE_FINALIZER } from '../../../api/metal3machine/kind.ts';
import type { HostChange } from '../../../domain/machine/memory/step.ts';
import { CLUSTER_API_OF_2019, CONTROLLER_FINALIZERS, OPENSHIFT_API } from '../../../domain/machine-api/names.ts';
import { KINDS } from '../../../kube/kinds.ts';
import { sealImage } from '../../../kube/objects/sealed-urls.ts';
import { collectionPath, type Resource } from '../../../kube/paths.ts';
import { type ObjectsInMemory, objectsInMemory } from '../../../test/builders/objects-in-memory.ts';
import { STALE } from '../../../workflows/messages.ts';
import { createMachineHostActivities } from './machine-host.ts';

const IMAGE = { url: 'http://images/a', checksum: 'x' };
const EVIL = { url: 'http://evil/x', checksum: 'x' };
const HOST = { namespace: 'metal', name: 'host-1', uid: 'host-1-uid' };
const MACHINE = { namespace: 'metal', name: 'm3m-1' };
const CONSUMER = {
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'Metal3Machine',
  name: 'm3m-1',
  namespace: 'metal',
};
const LEAVING = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const secret = (name: string) => ({ namespace: 'metal', name });

let objects: ObjectsInMemory;
beforeEach(() => {
  objects = objectsInMemory();
});
type Parts = { readonly metadata?: object; readonly spec?: object; readonly status?: object };
const put = (kind: Resource, name: string, { metadata = {}, ...rest }: Parts = {}): Promise<unknown> => {
  const { apiVersion } = kind;
  const body = {
    apiVersion,
    kind: 'Any',
    metadata: { name, namespace: 'metal', uid: `${name}-uid`, ...metadata },
    ...rest,
  };
  return objects.kube.request({ method: 'POST', path: collectionPath(kind, 'metal'), body });
};
const aHost = (spec: object = {}): Promise<unknown> => put(KINDS.host, 'host-1', { spec });
const ownHost = (spec: object = {}): Promise<unknown> => aHost({ consumerRef: CONSUMER, ...spec });
const aMachine = ({ metadata = {}, spec = { image: IMAGE }, status = {} }: Parts = {}): Promise<unknown> =>
  put(KINDS.metal3Machine, 'm3m-1', {
    metadata: { finalizers: [MACHINE_FINALIZER], ...metadata },
    spec,
    status,
  });
const change = (given: HostChange, machine: { readonly api?: string } & typeof MACHINE = MACHINE, defaults = {}) =>
  createMachineHostActivities(objects.kube, defaults).changeHost({ host: HOST, machine, change: given });
const spec = (): unknown => objects.all().get(`${collectionPath(KINDS.host, 'metal')}/host-1`)?.spec;
const stale = { type: STALE, nonRetryable: true };

describe('a host whose status baremetal-operator writes, too', () => {
  const managedFields = (agoMs: number) => [
    { manager: 'baremetal-operator', subresource: 'status', time: new Date(Date.now() - agoMs).toISOString() },
  ];

  test('is not changed', async () => {
    await aMachine();
    await put(KINDS.host, 'host-1', { metadata: { managedFields: managedFields(0) }, spec: { consumerRef: CONSUMER } });
    await expect(change({ image: sealImage(HOST.uid, IMAGE) })).rejects.toMatchObject({
      type: 'OtherOperator',
      nonRetryable: false,
    });
    expect(spec()).toEqual({ consumerRef: CONSUMER });
  });

  test('is changed when that was minutes ago', async () => {
    await aMachine();
    const metadata = { managedFields: managedFields(3_600_000) };
    await put(KINDS.host, 'host-1', { metadata, spec: { consumerRef: CONSUMER } });
    await change({ image: IMAGE });
    expect(spec()).toMatchObject({ image: IMAGE });
  });
});

describe('a host that is not that of the machine', () => {
  test('is not cleared for a machine that does not exist', async () => {
    await aHost({ image: IMAGE, online: true });
    expect(await change({ image: null, online: false })).toEqual({ kind: 'taken', by: null });
    expect(spec()).toEqual({ image: IMAGE, online: true });
  });

  test('is not filled, also when it is free', async () => {
    await aMachine();
    await aHost();
    expect(await change({ image: IMAGE, online: true })).toEqual({ kind: 'taken', by: null });
    expect(spec()).toEqual({});
  });

  test('is not changed when another machine has it', async () => {
    const consumerRef = { ...CONSUMER, name: 'm3m-2' };
    await aHost({ consumerRef, online: false });
    expect(await change({ online: true })).toEqual({ kind: 'taken', by: consumerRef });
    expect(spec()).toEqual({ consumerRef, online: false });
  });
});

describe('a machine that looks at the host that it had', () => {
  const looks = () =>
    createMachineHostActivities(objects.kube).findOwnHost({
      host: { namespace: 'metal', name: 'host-1' },
      machine: MACHINE,
    });

  test('hears that it is its own, that another consumer has it, or none, or that it is gone', async () => {
    expect(await looks()).toEqual({ kind: 'host', host: null });
    await aHost();
    expect(await looks()).toEqual({ kind: 'taken', by: null });
    await objects.kube.request({ method: 'DELETE', path: `${collectionPath(KINDS.host, 'metal')}/host-1` });
    const consumerRef = { ...CONSUMER, name: 'm3m-2' };
    await aHost({ consumerRef });
    expect(await looks()).toEqual({ kind: 'taken', by: consumerRef });
    await objects.kube.request({ method: 'DELETE', path: `${collectionPath(KINDS.host, 'metal')}/host-1` });
    await ownHost();
    expect(await looks()).toMatchObject({ kind: 'host', host: { name: 'host-1', consumer: CONSUMER } });
  });
});

describe('the host of a machine', () => {
  test('is filled, also when it names the machine in an older version', async () => {
    const consumerRef = { ...CONSUMER, apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta1' };
    await aMachine();
    await aHost({ consumerRef });
    expect(await change({ image: IMAGE, online: true })).toMatchObject({ kind: 'host', host: { hasImage: true } });
    expect(spec()).toEqual({ consumerRef, image: IMAGE, online: true });
  });

  test.each<[string, HostChange]>([
    ['image', { image: EVIL }],
    ['customDeploy', { image: IMAGE, customDeploy: { method: 'x' } }],
    ['userData', { image: IMAGE, userData: secret('admin') }],
    ['metaData', { image: IMAGE, metaData: secret('admin') }],
    ['networkData', { image: IMAGE, networkData: secret('admin') }],
    ['automatedCleaningMode', { automatedCleaningMode: 'disabled' }],
  ])('gets no %s for which the machine does not ask', async (field, given) => {
    await aMachine();
    await ownHost();
    const message = `change a host: Metal3Machine m3m-1: it does not ask for this ${field}`;
    await expect(change(given)).rejects.toMatchObject({ ...stale, message });
    expect(spec()).toEqual({ consumerRef: CONSUMER });
  });

  test('keeps the image that it has, also when the machine asks for another one by now', async () => {
    await aMachine();
    await ownHost({ image: EVIL, userData: secret('old') });
    expect(await change({ image: IMAGE, online: true })).toMatchObject({ kind: 'host' });
    expect(spec()).toEqual({ consumerRef: CONSUMER, image: EVIL, userData: secret('old'), online: true });
  });

  test('is cleared for a machine that is being deleted, or gone', async () => {
    await aMachine({ metadata: LEAVING });
    await ownHost({ image: IMAGE, userData: secret('u'), online: true });
    await change({ image: null });
    expect(spec()).toEqual({ consumerRef: CONSUMER, userData: secret('u'), online: true });
    await objects.kube.patch(`${collectionPath(KINDS.metal3Machine, 'metal')}/m3m-1`, {
      metadata: { finalizers: [] },
    });
    await change({ userData: null, online: false });
    expect(spec()).toEqual({ consumerRef: CONSUMER, online: false });
  });

  test.each<[string, HostChange]>([
    ['something is deployed', { online: false, image: EVIL }],
    ['its disks are not cleaned', { image: null, automatedCleaningMode: 'disabled' }],
    ['its BMC is another one', { online: false, bmc: { address: 'redfish://evil' } } as HostChange],
  ])('is not changed so that %s, for a machine that is being deleted', async (_, given) => {
    await aMachine({ metadata: LEAVING });
    await ownHost({ image: IMAGE });
    await expect(change(given)).rejects.toMatchObject(stale);
    expect(spec()).toEqual({ consumerRef: CONSUMER, image: IMAGE });
  });
});

describe('the image of a machine', () => {
  const open = { url: 'https://me:canary@images/a?sig=canary', checksum: 'https://images/SUMS?sig=canary' };
  const sealed = { ...sealImage('m3m-1-uid', open), diskFormat: 'raw' as const };

  test('is written to its host with the secrets in its URLs, which the answer does not have', async () => {
    await aMachine({ spec: { image: { ...open, diskFormat: 'raw' } } });
    await ownHost();
    const answer = await change({ image: sealed });
    expect(spec()).toEqual({ consumerRef: CONSUMER, image: { ...open, format: 'raw' } });
    expect(JSON.stringify(answer)).not.toContain('canary');
  });

  test('is not written when the machine has another one by now', async () => {
    await aMachine({ spec: { image: { ...open, checksum: 'abc', diskFormat: 'raw' } } });
    await ownHost();
    await expect(change({ image: sealed })).rejects.toMatchObject(stale);
    expect(spec()).toEqual({ consumerRef: CONSUMER });
  });
});

describe('the data of a machine', () => {
  const owned = {
    ownerReferences: [{ apiVersion: KINDS.machine.apiVersion, kind: 'Machine', name: 'm-1', uid: 'm-1-uid' }],
  };
  const written = (fields: object) => ({ consumerRef: CONSUMER, image: IMAGE, ...fields });

  test.each<[string, object]>([
    ['named by its Machine', { bootstrap: { dataSecretName: 'boot' } }],
    ['named after the object that makes it', { bootstrap: { configRef: { kind: 'X', name: 'boot' } } }],
  ])('is user data %s', async (_, machine) => {
    await aMachine({ metadata: owned, spec: { image: IMAGE, userData: { name: 'own' } } });
    await put(KINDS.machine, 'm-1', { spec: machine });
    await ownHost();
    await expect(change({ image: IMAGE, userData: secret('own') })).rejects.toMatchObject(stale);
    await change({ image: IMAGE, userData: secret('boot') });
    expect(spec()).toEqual(written({ userData: secret('boot') }));
  });

  test('is what its spec names', async () => {
    const named = { userData: { name: 'u' }, metaData: { name: 'm' }, networkData: { name: 'n' } };
    await aMachine({ spec: { image: IMAGE, ...named } });
    await ownHost();
    const data = { userData: secret('u'), metaData: secret('m'), networkData: secret('n') };
    await change({ image: IMAGE, ...data });
    expect(spec()).toEqual(written(data));
  });

  test('is what was rendered for it, before its status shows it', async () => {
    await aMachine({ spec: { image: IMAGE, dataTemplate: { name: 't' } } });
    await put(KINDS.dataClaim, 'm3m-1', { status: { renderedData: { name: 't-0' } } });
    await put(KINDS.data, 't-0', { spec: { metaData: secret('t-0-meta'), networkData: secret('t-0-network') } });
    await ownHost();
    const data = { metaData: secret('t-0-meta'), networkData: secret('t-0-network') };
    await change({ image: IMAGE, ...data });
    expect(spec()).toEqual(written(data));
  });

  test('is what its status shows', async () => {
    const data = { userData: secret('u'), metaData: secret('m'), networkData: secret('n') };
    await aMachine({ status: data });
    await ownHost();
    await change({ image: IMAGE, ...data });
    expect(spec()).toEqual(written(data));
  });
});

test.each([
  ['spec', {}, { automatedCleaningMode: 'disabled' }],
  [
    'template',
    {
      annotations: {
        'cluster.x-k8s.io/cloned-from-groupkind': 'Metal3MachineTemplate.infrastructure.cluster.x-k8s.io',
        'cluster.x-k8s.io/cloned-from-name': 'tpl',
      },
    },
    {},
  ],
])('the cleaning mode in the %s of a machine is written to its host', async (_, metadata, given) => {
  await aMachine({ metadata, spec: { image: IMAGE, ...given } });
  await put(KINDS.metal3MachineTemplate, 'tpl', {
    spec: { template: { spec: { automatedCleaningMode: 'disabled' } } },
  });
  await ownHost({ image: IMAGE });
  await change({ automatedCleaningMode: 'disabled' });
  expect(spec()).toMatchObject({ automatedCleaningMode: 'disabled' });
});

describe.each([
  [OPENSHIFT_API, KINDS.openShiftMachine],
  [CLUSTER_API_OF_2019, KINDS.clusterMachine],
])('the host of a Machine of %s', (api, kind) => {
  const consumerRef = { apiVersion: api, kind: 'Machine', name: 'm3m-1', namespace: 'metal' };
  const machine = { ...MACHINE, api };
  const anOwnMachine = (value: object): Promise<unknown> =>
    put(kind, 'm3m-1', {
      metadata: { finalizers: [CONTROLLER_FINALIZERS[api] ?? ''] },
      spec: { providerSpec: { value } },
    });

  test('gets the image and the user data in its providerSpec', async () => {
    await anOwnMachine({ image: IMAGE, userData: { name: 'u' } });
    await aHost({ consumerRef });
    await change({ image: IMAGE, userData: secret('u'), online: true }, machine);
    expect(spec()).toEqual({ consumerRef, image: IMAGE, userData: secret('u'), online: true });
  });

  test('gets no other image, and no other Secret', async () => {
    await anOwnMachine({ image: IMAGE, userData: { name: 'u' } });
    await aHost({ consumerRef });
    for (const given of [{ image: EVIL }, { image: IMAGE, userData: secret('admin') }])
      await expect(change(given, machine)).rejects.toMatchObject(stale);
    expect(spec()).toEqual({ consumerRef });
  });

  test('gets the default image where the Machine names none, and no other one', async () => {
    await anOwnMachine({ kind: 'BareMetalProviderConfig', selector: { a: 'b' } });
    await aHost({ consumerRef });
    await expect(change({ image: IMAGE }, machine)).rejects.toMatchObject(stale);
    const defaults = { image: IMAGE, userData: 'u' };
    await expect(change({ image: EVIL }, machine, defaults)).rejects.toMatchObject(stale);
    await change({ image: IMAGE, userData: secret('u') }, machine, defaults);
    expect(spec()).toEqual({ consumerRef, image: IMAGE, userData: secret('u') });
  });
});
