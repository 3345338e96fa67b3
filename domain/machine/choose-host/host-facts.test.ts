import { expect, test } from 'vitest';
import { aHostFact, CONSUMER } from '../../../test/builders/machine.ts';
import { claimantKey, consumerOf, hostFacts, isConsumer, isPausedByCluster } from './host-facts.ts';

const metadata = { namespace: 'metal', name: 'host-1', uid: 'u', resourceVersion: '1', labels: {}, annotations: {} };
const spec = { online: false, disablePowerOff: false, credentialsName: '' };
const status = { state: '', errorMessage: '', poweredOn: false, ips: [], hostname: '' };

test('of an empty host are empty', () => {
  expect(hostFacts({ metadata, spec, status })).toEqual({
    namespace: 'metal',
    name: 'host-1',
    uid: 'u',
    resourceVersion: '1',
    labels: {},
    blocksMove: false,
    unhealthy: false,
    detached: false,
    deleting: false,
    hasImage: false,
    hasCustomDeploy: false,
    ...spec,
    ...status,
  });
});

test('all that matters to a machine is known of a host that says it', () => {
  const facts = hostFacts({
    metadata: {
      ...metadata,
      deletionTimestamp: '2026-01-01T00:00:00Z',
      annotations: {
        'baremetalhost.metal3.io/paused': '',
        'baremetalhost.metal3.io/detached': '',
        'clusterctl.cluster.x-k8s.io/block-move': '',
        'capi.metal3.io/unhealthy': '',
      },
    },
    spec: {
      ...spec,
      consumerRef: CONSUMER,
      image: {},
      customDeploy: {},
      userData: { name: 'u' },
      metaData: { name: 'm' },
      networkData: { name: 'n' },
      automatedCleaningMode: 'disabled',
    },
    status,
  });
  expect(facts).toMatchObject({
    paused: '',
    detached: true,
    blocksMove: true,
    unhealthy: true,
    deleting: true,
    consumer: CONSUMER,
    hasImage: true,
    hasCustomDeploy: true,
    userData: { name: 'u' },
    metaData: { name: 'm' },
    networkData: { name: 'n' },
    automatedCleaningMode: 'disabled',
  });
});

test('a host is unhealthy under the present name of the annotation as well', () => {
  const annotations = { 'capm3.metal3.io/unhealthy': 'capm3/UnhealthyNode' };
  expect(hostFacts({ metadata: { ...metadata, annotations }, spec, status }).unhealthy).toBe(true);
});

test('a host says when it is externally provisioned, or kept off by a remediation of the Machine API', () => {
  const annotations = { 'reboot.metal3.io/capbm-requested-power-off': '{"mode":"hard"}' };
  const told = { metadata: { ...metadata, annotations }, spec: { ...spec, externallyProvisioned: true }, status };
  expect(hostFacts(told)).toMatchObject({ externallyProvisioned: true, keptOff: true });
  expect(hostFacts({ metadata, spec, status })).not.toHaveProperty('keptOff');
});

test('a machine is the consumer of a host that names it', () => {
  const machine = { namespace: 'metal', name: 'm3m-1' };
  expect(consumerOf(machine)).toEqual(CONSUMER);
  expect(isConsumer(consumerOf(machine), machine)).toBe(true);
  expect(isConsumer(undefined, machine)).toBe(false);
});

test('a Machine of the Machine API is another consumer than a Metal3Machine of its name', () => {
  const machine = { namespace: 'metal', name: 'm3m-1', api: 'machine.openshift.io/v1beta1' };
  const consumer = { apiVersion: machine.api, kind: 'Machine', namespace: 'metal', name: 'm3m-1' };
  expect(consumerOf(machine)).toEqual(consumer);
  expect(isConsumer(consumer, machine)).toBe(true);
  expect(isConsumer(consumer, { namespace: 'metal', name: 'm3m-1' })).toBe(false);
  expect(isConsumer(CONSUMER, machine)).toBe(false);
  expect(isConsumer(consumer, { ...machine, api: 'cluster.k8s.io/v1alpha1' })).toBe(false);
  expect(isConsumer({ ...consumer, apiVersion: 'machine.openshift.io/v1' }, machine)).toBe(true);
  expect(claimantKey(machine)).not.toBe(claimantKey({ namespace: 'metal', name: 'm3m-1' }));
});

test('only one value of the annotation says that a host was paused with its cluster', () => {
  expect(
    [undefined, '', 'x', 'metal3.io/capm3'].map((paused) =>
      isPausedByCluster(aHostFact(paused === undefined ? {} : { paused })),
    ),
  ).toEqual([false, false, false, true]);
});
