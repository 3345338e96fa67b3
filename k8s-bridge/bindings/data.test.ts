import { beforeEach, describe, expect, test } from 'vitest';
import type { DataSnapshot } from '../../domain/data/snapshot.ts';
import { type FollowedKind, KINDS } from '../../kube/kinds.ts';
import { createStore, type Store } from '../../kube/store.ts';
import { takesLonger } from '../../test/builders/cpu-time.ts';
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

  test('because its template asks for too much says so at once, and is rendered no further', () => {
    const dnsServers = Array.from({ length: 500 }, (_, at) => `10.0.${at >> 8}.${at & 255}`);
    const routes = Array.from({ length: 500 }, (_, at) => ({
      network: `10.1.${at >> 8}.${at & 255}`,
      prefix: 32,
      gateway: { string: '10.0.0.1' },
      services: { dnsFromIPPool: 'lan' },
    }));
    const ipv4DHCP = ['a', 'b', 'c', 'd'].map((id) => ({ id, link: 'l', routes }));
    put(KINDS.dataTemplate, 'nodes', {}, { spec: { networkData: { networks: { ipv4DHCP } } } });
    putHost({});
    const claim = { spec: { pool: { name: 'lan' } }, status: { address: { name: 'lan-1', namespace: 'metal' } } };
    put(KINDS.ipClaim, 'nodes-0-lan', owner('Metal3Data', METAL3, 'nodes-0'), claim);
    const address = { address: '10.0.0.9', prefix: 8, pool: { name: 'lan' }, claim: { name: 'nodes-0-lan' } };
    put(KINDS.ipAddress, 'lan-1', {}, { spec: { ...address, dnsServers } });
    let host = 0;
    const ofAnotherHost = () => {
      host += 1;
      putHost({ bootMACAddress: `${host}` });
      return seen();
    };
    expect(takesLonger(ofAnotherHost, 300)).toBe(false);
    const message = 'beyond the bound of the rendered data: more than 50000 values';
    expect(seen().hindrance).toEqual({ kind: 'problem', message });
  });

  test('says what it waits for', () => {
    expect(waitedForBy(entry(), store)).toBe('waiting for BareMetalHost to become available');
    expect(seen().digest).toBeUndefined();
  });
});
