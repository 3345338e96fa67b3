import { ANYTHING, type Change, type KnownDifference } from '../differences.ts';

const IPAM = 'ipam.metal3.io/v1alpha1';
const owners = (pool: string, claim: object): readonly object[] => [
  { apiVersion: IPAM, kind: 'IPPool', name: pool, uid: '<uid>' },
  { ...claim, uid: '<uid>' },
];

/** The API server itself says that a required field was removed. */
const isMissing = (step: string, kind: string, name: string, field: string): Change => ({
  at: ['refused', step],
  upstream: ANYTHING,
  temper: `${kind}.ipam.metal3.io "${name}" is invalid: spec.${field}: Required value`,
});

export const DIFFERENCES_OF_IPAM: readonly KnownDifference[] = [
  {
    row: 'ip-C1',
    stories: ['a claim that found the pool exhausted is looked at after another has left'],
    changes: [
      {
        at: ['rests', '6', 'IPAddress small-10-0-0-10'],
        upstream: undefined,
        temper: {
          metadata: {
            finalizers: ['ipaddress.ipam.metal3.io'],
            ownerReferences: owners('small', { apiVersion: IPAM, kind: 'IPClaim', name: 'late' }),
          },
          spec: {
            address: '10.0.0.10',
            claim: { name: 'late', namespace: '<namespace>' },
            pool: { name: 'small', namespace: '<namespace>' },
          },
        },
      },
      {
        at: ['rests', '6', 'IPClaim late', 'metadata', 'finalizers'],
        upstream: undefined,
        temper: ['ipclaim.ipam.metal3.io'],
      },
      {
        at: ['rests', '6', 'IPClaim late', 'status'],
        upstream: { errorMessage: 'Exhausted IP Pools' },
        temper: { address: { name: 'small-10-0-0-10', namespace: '<namespace>' } },
      },
      { at: ['rests', '6', 'IPPool small', 'status', 'indexes'], upstream: undefined, temper: { late: '10.0.0.10' } },
    ],
  },
  {
    row: 'ip-C4',
    stories: ['a claim of Cluster API names a pool of another group'],
    changes: [
      { at: ['rests', '2', 'ClusterIPAddress wide-10-0-0-10'], upstream: ANYTHING, temper: undefined },
      { at: ['rests', '2', 'IPAddressClaim foreign', 'status'], upstream: ANYTHING, temper: undefined },
      { at: ['rests', '2', 'IPAddressClaim foreign', 'metadata', 'finalizers'], upstream: ANYTHING, temper: undefined },
      { at: ['rests', '2', 'IPPool wide', 'status', 'indexes'], upstream: ANYTHING, temper: undefined },
    ],
  },
  {
    row: 'ip-C8',
    stories: ['a claim of Cluster API is named like an IPClaim'],
    changes: [
      {
        at: ['rests', '4', 'ClusterIPAddress wide-10-0-0-11'],
        upstream: undefined,
        temper: {
          metadata: {
            finalizers: ['ipam.metal3.io/ipaddress'],
            ownerReferences: owners('wide', {
              apiVersion: 'ipam.cluster.x-k8s.io/v1beta2',
              kind: 'IPAddressClaim',
              name: 'same',
            }),
          },
          spec: {
            address: '10.0.0.11',
            claimRef: { name: 'same' },
            poolRef: { apiGroup: 'ipam.metal3.io', kind: 'IPPool', name: 'wide' },
            prefix: 0,
          },
        },
      },
      {
        at: ['rests', '4', 'IPAddressClaim same', 'status', 'addressRef', 'name'],
        upstream: 'wide-10-0-0-10',
        temper: 'wide-10-0-0-11',
      },
      {
        at: ['rests', '4', 'IPPool wide', 'status', 'indexes', 'same/IPAddressClaim'],
        upstream: undefined,
        temper: '10.0.0.11',
      },
    ],
  },
  {
    row: 'ip-C14',
    stories: ['a pool of a Cluster waits for the Cluster and is linked to it'],
    changes: [
      {
        at: ['rests', '4', 'IPAddress fleet-10-2-0-1'],
        upstream: undefined,
        temper: {
          metadata: {
            finalizers: ['ipaddress.ipam.metal3.io'],
            ownerReferences: owners('fleet', { apiVersion: IPAM, kind: 'IPClaim', name: 'first' }),
          },
          spec: {
            address: '10.2.0.1',
            claim: { name: 'first', namespace: '<namespace>' },
            pool: { name: 'fleet', namespace: '<namespace>' },
          },
        },
      },
      {
        at: ['rests', '4', 'IPClaim first', 'metadata', 'finalizers'],
        upstream: undefined,
        temper: ['ipclaim.ipam.metal3.io'],
      },
      {
        at: ['rests', '4', 'IPClaim first', 'status'],
        upstream: undefined,
        temper: { address: { name: 'fleet-10-2-0-1', namespace: '<namespace>' } },
      },
      {
        at: ['rests', '4', 'IPPool fleet', 'metadata', 'finalizers'],
        upstream: undefined,
        temper: ['ippool.ipam.metal3.io'],
      },
      {
        at: ['rests', '4', 'IPPool fleet', 'metadata', 'ownerReferences'],
        upstream: undefined,
        temper: [
          { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'green', uid: '<uid>', controller: false },
        ],
      },
      {
        at: ['rests', '4', 'IPPool fleet', 'status'],
        upstream: undefined,
        temper: { indexes: { first: '10.2.0.1' }, lastUpdated: '<time>' },
      },
    ],
  },
  {
    row: 'ip-C18',
    stories: ['pools that are refused'],
    changes: [
      {
        at: ['refused', '4'],
        upstream:
          'IPPool.ipam.metal3.io "nameless" is invalid: spec.namePrefix: Invalid value: "": spec.namePrefix in body should be at least 1 chars long',
        temper: 'IPPool.ipam.metal3.io "nameless" is invalid: spec.namePrefix: Required value',
      },
    ],
  },
  {
    row: 'ip-C18',
    stories: ['pools, claims and addresses keep their fields'],
    changes: [
      isMissing('1', 'IPPool', 'kept', 'namePrefix'),
      isMissing('3', 'IPClaim', 'fine', 'pool'),
      isMissing('6', 'IPAddress', 'fine', 'address'),
      isMissing('7', 'IPAddress', 'fine', 'pool'),
      isMissing('8', 'IPAddress', 'fine', 'claim'),
    ],
  },
];
