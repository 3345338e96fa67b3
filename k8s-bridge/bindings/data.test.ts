import { beforeEach, describe, expect, test } from 'vitest';
import type { DataSnapshot } from '../../domain/data/snapshot.ts';
import { type FollowedKind, KINDS } from '../../kube/kinds.ts';
import { createStore, type Store } from '../../kube/store.ts';
import { dataBinding, waitedForBy } from './data.ts';

const METAL3 = 'infrastructure.cluster.x-k8s.io/v1beta2';
const CLUSTER = { 'cluster.x-k8s.io/cluster-name': 'c' };
const owner = (kind: string, apiVersion: string, name: string) => ({
  ownerReferences: [{ kind, apiVersion, name, uid: `${name}-uid` }],
});

let store: Store;
const put = (kind: FollowedKind, name: string, metadata: object = {}, rest: object = {}): void => {
  const identity = { namespace: 'metal', name, uid: `${name}-uid`, resourceVersion: '1' };
  store.put(kind, { ...identity, object: { metadata: { ...identity, ...metadata }, ...rest } });
};
const putTemplate = (metaData: object): void => put(KINDS.dataTemplate, 'nodes', {}, { spec: { metaData } });
const putHost = (spec: object): void => put(KINDS.host, 'host', {}, { spec });

beforeEach(() => {
  store = createStore();
  put(KINDS.cluster, 'c');
  putTemplate({
    fromHostInterfaces: [{ key: 'mac', interface: 'eth0' }],
    objectNames: [{ key: 'n', object: 'machine' }],
  });
  put(KINDS.dataClaim, 'm3m', owner('Metal3Machine', METAL3, 'm3m'));
  const onHost = { ...owner('Machine', 'cluster.x-k8s.io/v1beta2', 'machine') };
  put(
    KINDS.metal3Machine,
    'm3m',
    { ...onHost, annotations: { 'metal3.io/BareMetalHost': 'metal/host' } },
    {
      spec: { dataTemplate: { name: 'nodes' } },
    },
  );
  put(KINDS.machine, 'machine');
  put(KINDS.data, 'nodes-0', { labels: CLUSTER }, { spec: { template: { name: 'nodes' }, claim: { name: 'm3m' } } });
});

const entry = () => {
  const found = store.get(KINDS.data, 'metal/nodes-0');
  if (found === undefined) throw new Error('there is no Metal3Data');
  return found;
};
const seen = (): DataSnapshot => dataBinding.observe(entry(), store, { written: undefined, now: 0 }) as DataSnapshot;

describe('a Metal3Data whose inputs are all there', () => {
  beforeEach(() => putTemplate({ objectNames: [{ key: 'n', object: 'baremetalhost' }] }));

  test('is seen with a digest of them, which changes when they do and only then', () => {
    putHost({ bootMACAddress: 'aa:aa:aa:aa:aa:aa' });
    const { digest, hindrance } = seen();
    expect(digest).toBeTypeOf('string');
    expect(hindrance).toBeUndefined();
    put(KINDS.machine, 'another');
    putHost({ bootMACAddress: 'aa:aa:aa:aa:aa:aa', online: true });
    expect(seen().digest).toBe(digest);
    putHost({ bootMACAddress: 'bb:bb:bb:bb:bb:bb' });
    expect(seen().digest).not.toBe(digest);
  });

  test('has none once its Secrets exist', () => {
    putHost({});
    put(KINDS.secret, 'm3m-metadata');
    expect(seen()).toMatchObject({ secrets: [{ name: 'm3m-metadata', exists: true }] });
    expect(seen().digest).toBeUndefined();
  });
});

describe('a Metal3Data that can not be rendered', () => {
  test('says why, until other inputs make it possible', () => {
    const nics = (name: string): object => ({ status: { hardware: { nics: [{ name, mac: 'aa:aa:aa:aa:aa:aa' }] } } });
    put(KINDS.host, 'host', {}, nics('eth1'));
    expect(seen().hindrance).toEqual({ kind: 'problem', message: 'NIC name not found eth0' });
    expect(seen().hindrance).toEqual({ kind: 'problem', message: 'NIC name not found eth0' });
    expect(waitedForBy(entry(), store)).toBeUndefined();
    put(KINDS.host, 'host', {}, nics('eth0'));
    expect(seen().hindrance).toBeUndefined();
  });

  test('says what it waits for', () => {
    expect(waitedForBy(entry(), store)).toBe('waiting for BareMetalHost to become available');
    expect(seen().digest).toBeUndefined();
  });
});
