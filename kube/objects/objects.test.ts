import { describe, expect, test } from 'vitest';
import { labelPrefixes } from '../../domain/machine/node-link/label-sync.ts';
import { readAddressClaim } from './addresses.ts';
import { isClusterPaused, readCluster } from './cluster.ts';
import { conditionsIn, legacyConditionsIn } from './conditions.ts';
import { readDataTemplate } from './data-objects.ts';
import { readMachine } from './machine.ts';
import { readMachineSet } from './machineset.ts';
import { ownerOf, readMetadata } from './metadata.ts';
import { readMetal3Cluster } from './metal3cluster.ts';
import { dataFacts, dataSeen, readMetal3Data } from './metal3data.ts';
import { claimSeen, machineOfClaim, readDataClaim } from './metal3dataclaim.ts';
import { belongingOf, readMetal3Machine } from './metal3machine.ts';
import { readMachineTemplate } from './metal3machinetemplate.ts';

const METAL3 = 'infrastructure.cluster.x-k8s.io';
const CAPI = 'cluster.x-k8s.io';
const metadata = { namespace: 'metal', name: 'm', uid: 'u', resourceVersion: '7' };
const ownedBy = (kind: string, apiVersion: string, name = 'o') => ({
  ...metadata,
  ownerReferences: [{ kind, apiVersion, name, uid: `uid-of-${name}` }],
});

describe('any object', () => {
  test('is read once for each version that somebody holds', () => {
    const object = { metadata };
    expect(readMetadata(object)).toBe(readMetadata(object));
    expect(readMetadata({ metadata })).not.toBe(readMetadata(object));
  });

  test('whose metadata is malformed is read as far as it is not', () => {
    expect(
      readMetadata({ metadata: { name: 'm', labels: { a: 1 }, finalizers: ['f'], ownerReferences: [{}] } }),
    ).toEqual({
      namespace: '',
      name: 'm',
      uid: '',
      resourceVersion: '',
      generation: 0,
      creationTimestamp: '',
      labels: {},
      annotations: {},
      finalizers: ['f'],
      ownerReferences: [],
    });
  });

  test('has an owner of a kind in whatever version of the group', () => {
    const read = readMetadata({ metadata: ownedBy('Metal3Machine', `${METAL3}/v1beta1`) });
    const kind = { kind: 'Metal3Machine', apiVersion: `${METAL3}/v1beta2` };
    expect(ownerOf(read, kind)?.name).toBe('o');
    expect(ownerOf(read, { ...kind, apiVersion: 'example.com/v1' })).toBeUndefined();
  });
});

describe('a Machine', () => {
  const bootstrapped = [{ type: 'BootstrapReady', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }];

  test('of a control plane names it, and its Node once it has one', () => {
    const object = {
      metadata: {
        ...ownedBy('KubeadmControlPlane', `controlplane.${CAPI}/v1beta2`),
        labels: { [`${CAPI}/control-plane`]: '', [`${CAPI}/cluster-name`]: 'c' },
      },
      spec: {
        clusterName: 'c',
        infrastructureRef: { kind: 'Metal3Machine', name: 'i' },
        bootstrap: { dataSecretName: 's' },
      },
      status: { nodeRef: { name: 'n' }, deprecated: { v1beta1: { conditions: bootstrapped } } },
    };
    expect(readMachine(object)).toMatchObject({
      owner: {
        namespace: 'metal',
        name: 'm',
        clusterName: 'c',
        dataSecretName: 's',
        bootstrapReady: true,
        nodeRef: 'n',
        controlPlane: { kind: 'KubeadmControlPlane', name: 'o' },
      },
      cluster: 'c',
      infrastructure: 'i',
    });
  });

  test('of a MachineSet names that; one of another infrastructure has no Metal3Machine', () => {
    const object = {
      metadata: ownedBy('MachineSet', `${CAPI}/v1beta1`),
      spec: { clusterName: 'c', infrastructureRef: { kind: 'OtherMachine', name: 'i' } },
    };
    expect(readMachine(object)).toMatchObject({
      owner: { bootstrapReady: false, machineSet: { name: 'o', uid: 'uid-of-o' } },
      cluster: '',
      infrastructure: '',
    });
  });

  test('whose spec and status are malformed has no more than its name', () => {
    expect(readMachine({ metadata, spec: { bootstrap: 3, infrastructureRef: {} }, status: [] })).toMatchObject({
      owner: { namespace: 'metal', name: 'm', clusterName: '', bootstrapReady: false },
      infrastructure: '',
    });
  });
});

describe('a Metal3Machine', () => {
  const labelled = (cluster: string) => ({ labels: { [`${CAPI}/cluster-name`]: cluster } });
  const machine = { metadata: { ...metadata, name: 'o', ...labelled('of-machine') } };

  test('belongs to the Cluster of its Machine', () => {
    const object = { metadata: { ...ownedBy('Machine', `${CAPI}/v1beta1`), ...labelled('of-itself') } };
    expect(
      belongingOf(object, (kind, { name }) => (kind.kind === 'Machine' && name === 'o' ? machine : undefined)),
    ).toEqual({
      owner: 'o',
      machine: readMachine(machine),
      cluster: 'of-machine',
    });
  });

  test('belongs to the Cluster of its own label while there is no Machine', () => {
    const object = { metadata: { ...ownedBy('Machine', `${CAPI}/v1beta2`), ...labelled('of-itself') } };
    expect(belongingOf(object, () => undefined)).toEqual({ owner: 'o', cluster: 'of-itself' });
    expect(belongingOf({ metadata }, () => machine)).toEqual({ cluster: '' });
  });
});

test('a Cluster is paused by its spec or by annotation', () => {
  expect(isClusterPaused({ metadata, spec: { paused: true } })).toBe(true);
  expect(isClusterPaused({ metadata: { ...metadata, annotations: { [`${CAPI}/paused`]: '' } } })).toBe(true);
  expect(isClusterPaused({ metadata, spec: { paused: 'yes' } })).toBe(false);
  expect(readCluster({ metadata })).toMatchObject({ infrastructureReady: false, infrastructure: '' });
});

test('a Metal3Cluster says what concerns its machines', () => {
  const annotations = { 'metal3.io/metal3-label-sync-prefixes': 'a.b' };
  const object = { metadata: { ...metadata, annotations }, spec: { cloudProviderEnabled: true } };
  expect(readMetal3Cluster(object)).toEqual({
    namespace: 'metal',
    name: 'm',
    cloudProvider: true,
    paused: false,
    labelSyncPrefixes: 'a.b',
  });
  expect(readMetal3Cluster({ metadata })).toMatchObject({ cloudProvider: false });
  const many = {
    metadata: { ...metadata, annotations: { 'metal3.io/metal3-label-sync-prefixes': 'a,'.repeat(9_000) } },
  };
  expect(labelPrefixes(readMetal3Cluster(many).labelSyncPrefixes ?? '')).toHaveProperty('problem');
  expect(JSON.stringify(readMetal3Cluster(many)).length).toBeLessThan(5_000);
});

test('conditions are read without their times, and none from a malformed status', () => {
  const condition = { type: 'Ready', status: 'True', reason: 'R', message: '' };
  const written = [{ ...condition, lastTransitionTime: '2026-01-01T00:00:00Z' }];
  expect(conditionsIn({ conditions: written })).toEqual([condition]);
  expect(legacyConditionsIn({ deprecated: { v1beta1: { conditions: written } } })).toEqual([
    { type: 'Ready', status: 'True', reason: 'R' },
  ]);
  expect(conditionsIn({ conditions: 'Ready' })).toEqual([]);
  expect(legacyConditionsIn({ deprecated: {} })).toEqual([]);
});

test('a MachineSet names the template of its machines', () => {
  const spec = { template: { spec: { infrastructureRef: { kind: 'Metal3MachineTemplate', name: 't' } } } };
  expect(readMachineSet({ metadata, spec }).infrastructure).toBe('t');
  expect(readMachineSet({ metadata }).infrastructure).toBe('');
});

test('a Metal3MachineTemplate says whether hosts are kept and how they are cleaned', () => {
  const spec = (automatedCleaningMode: string) => ({ nodeReuse: true, template: { spec: { automatedCleaningMode } } });
  expect(readMachineTemplate({ metadata, spec: spec('disabled') })).toEqual({
    nodeReuse: true,
    seen: { paused: false, automatedCleaningMode: 'disabled' },
  });
  expect(readMachineTemplate({ metadata, spec: spec('twice') })).toEqual({ nodeReuse: true, seen: { paused: false } });
  expect(readMachineTemplate({ metadata })).toEqual({ nodeReuse: false, seen: { paused: false } });
});

test('a Metal3Machine has the host of its annotation, in its own namespace', () => {
  const hostOf = (host: string): string | undefined =>
    readMetal3Machine({ metadata: { ...metadata, annotations: { 'metal3.io/BareMetalHost': host } } }).host;
  expect(hostOf('metal/h')).toBe('h');
  expect(hostOf('h')).toBe('h');
  expect(hostOf('a/b/c')).toBeUndefined();
  expect(hostOf('')).toBeUndefined();
});

test('a Metal3Data is read for rendering and for its machine', () => {
  const data = readMetal3Data({
    metadata,
    spec: { index: 3, claim: { name: 'c' }, metaData: { name: 's' }, networkData: 'none' },
    status: { ready: true, errorMessage: '' },
  });
  expect(dataFacts(data)).toEqual({
    namespace: 'metal',
    name: 'm',
    uid: 'u',
    index: 3,
    claim: { name: 'c' },
    secrets: { metaData: 's' },
  });
  expect(dataSeen(data)).toEqual({ namespace: 'metal', name: 'm', ready: true, metaData: { name: 's' } });
});

test('a Metal3DataClaim is read for its template and for its machine', () => {
  const claim = readDataClaim({
    metadata: {
      ...ownedBy('Metal3Machine', `${METAL3}/v1beta1`),
      finalizers: ['metal3machine.infrastructure.cluster.x-k8s.io'],
    },
    status: { renderedData: { name: 'd' }, errorMessage: 'e' },
  });
  expect(machineOfClaim(claim)).toEqual({ name: 'o', uid: 'uid-of-o' });
  expect(claimSeen(claim)).toEqual({
    deleting: false,
    hasFinalizer: true,
    renderedData: { name: 'd', namespace: 'metal' },
    errorMessage: 'e',
  });
  expect(claimSeen(readDataClaim({ metadata }))).toEqual({ deleting: false, hasFinalizer: false });
});

test('a Metal3DataTemplate of which a part is not understood is a problem', () => {
  expect(readDataTemplate({ metadata })).toEqual({ template: { namespace: 'metal', name: 'm' } });
  const read = readDataTemplate({ metadata, spec: { metaData: { strings: 'x' } } });
  expect('problem' in read && read.problem).toMatch(/^Metal3DataTemplate can not be read: spec\.metaData\.strings: /);
});

test.each([
  ['of Metal3', { address: { name: 'a' }, errorMessage: 'e' }, { address: 'a', errorMessage: 'e' }],
  ['of Cluster API', { addressRef: { name: 'a' } }, { address: 'a' }],
  ['without an address', { address: { name: '' } }, {}],
])('an address claim %s names its address', (_, status, expected) => {
  const object = {
    metadata: { ...ownedBy('Metal3Data', `${METAL3}/v1beta1`), deletionTimestamp: '2026-01-01' },
    status,
  };
  expect(readAddressClaim(object)).toEqual({
    name: 'm',
    deleting: true,
    owners: ['uid-of-o'],
    held: false,
    ...expected,
  });
});
