import { beforeEach, describe, expect, test } from 'vitest';
import { templateEntity } from '../domain/data-template/entity.ts';
import type { Entity } from '../domain/entity/entity.ts';
import type { Seen } from '../domain/entity/seen.ts';
import { ipPoolEntity } from '../domain/ip-pool/entity.ts';
import { machineSetEntity } from '../domain/machine-set/entity.ts';
import { KINDS } from '../kube/kinds.ts';
import { createStore, type Entry, type Store } from '../kube/store.ts';
import { putIn } from '../test/builders/stored-objects.ts';
import { WORKFLOW_TYPES } from '../workflows/messages.ts';
import { dataTemplateBinding } from './bindings/data-template.ts';
import { ipPoolBinding } from './bindings/ip-pool.ts';
import { machineSetBinding } from './bindings/machine-api/machine-set.ts';
import { remediationBinding } from './bindings/remediation.ts';

/** Bytes of one payload. Temporal refuses 2 MB; snapshots above 900,000 are refused by the bridge (`reconcile.ts`). */
const MOST = 1_000_000;
const MANY = 10_000;
const NOW = 1_000_000_000;
/** The longest name of an object. */
const named = (prefix: string, at: number): string => `${prefix}-${at}-`.padEnd(253, 'x');
const each = (count: number, make: (at: number) => unknown): void => {
  for (let at = 0; at < count; at += 1) make(at);
};
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
const LONG = 'é"\\'.repeat(20_000);

let store: Store;
beforeEach(() => {
  store = createStore();
});
const deps = () => ({ stores: store, lookLater: () => undefined, now: () => NOW });
const template = (): Entry => putIn(store, KINDS.dataTemplate, 'nodes', {});
const poolOf = (spec: object): Entry =>
  putIn(store, KINDS.ipPool, 'lan', { spec: { namePrefix: 'p'.repeat(200), ...spec } });
const observed = (binding: { observe: ReturnType<typeof ipPoolBinding>['observe'] }, entry: Entry): Seen =>
  binding.observe(entry, store, { written: undefined, now: NOW }) as Seen;

/** The largest payload of a run that gets this snapshot: the snapshot, its memory, and the orders of its activities. */
function largest<Memory, Action, Answer>(
  { begin, nextStep, record, show }: Entity<never, Memory, Action, Answer>,
  seen: Seen,
): number {
  let memory = begin(seen as never);
  let most = Math.max(bytesOf({ snapshot: seen }), bytesOf(memory), bytesOf(show(memory)));
  // Everything fails, with a long message each time: that is kept for each claim.
  for (let steps = 0; steps < 1_000; steps += 1) {
    const step = nextStep(memory, { now: NOW, shown: { ...show(memory), finalizer: true } });
    if (step.kind !== 'act') break;
    memory = record(memory, step.action, { kind: 'failed', message: LONG }, { now: NOW, dice: 0, before: memory });
    most = Math.max(most, bytesOf(step.action), bytesOf(memory), bytesOf(show(memory)));
  }
  return most;
}

const claims = (more: object = {}, status: object = {}): void =>
  each(MANY, (at) =>
    putIn(store, KINDS.dataClaim, named('claim', at), {
      metadata: {
        uid: `${at}`.padStart(36, '0'),
        finalizers: ['metal3dataclaim.infrastructure.cluster.x-k8s.io'],
        ...more,
      },
      spec: { template: { name: 'nodes' } },
      status,
    }),
  );
const data = (more: object = {}): void =>
  each(MANY, (at) =>
    putIn(store, KINDS.data, named('nodes', at), {
      metadata: { finalizers: ['metal3dataclaim.infrastructure.cluster.x-k8s.io'], ...more },
      spec: { index: at * 1_000, claim: { name: named('claim', at) }, template: { name: 'nodes' } },
    }),
  );
const LEAVING = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const OWNED = {
  ownerReferences: [{ apiVersion: KINDS.metal3Machine.apiVersion, kind: 'Metal3Machine', name: 'm', uid: 'u' }],
};

/** The most that the objects of a kind can make of one payload; a kind without an entry refers to single objects. */
const CASES: readonly (readonly [kind: keyof typeof WORKFLOW_TYPES, what: string, measure: () => number])[] = [
  [
    'Metal3DataTemplate',
    'whose 10,000 claims wait',
    () => {
      claims(OWNED, { errorMessage: LONG });
      return largest(templateEntity, observed(dataTemplateBinding(deps()), template()));
    },
  ],
  [
    'Metal3DataTemplate',
    'whose 10,000 claims have their Metal3Data, with gaps between the indexes, and are all deleted',
    () => {
      claims({ ...OWNED, ...LEAVING });
      data();
      return largest(templateEntity, observed(dataTemplateBinding(deps()), template()));
    },
  ],
  [
    'Metal3DataTemplate',
    'whose 10,000 Metal3Data are deleted and have lost their claims',
    () => {
      data(LEAVING);
      return largest(templateEntity, observed(dataTemplateBinding(deps()), template()));
    },
  ],
  [
    'IPPool',
    'of random IPv6 addresses, 60,000 of which are in use, with 10,000 claims that wait',
    () => {
      each(60_000, (at) => {
        const address = `2001:db8:${(at * 7919).toString(16).slice(-4)}:${(at % 65_521).toString(16)}:1:2:3:4`;
        putIn(store, KINDS.ipAddress, named('address', at), {
          spec: { address, claim: { name: 'x' }, pool: { name: 'lan' } },
        });
      });
      each(MANY, (at) => putIn(store, KINDS.ipClaim, named('claim', at), { spec: { pool: { name: 'lan' } } }));
      const spec = { allocationStrategy: 'random', pools: [{ subnet: '2001:db8::/32', prefix: 64 }] };
      return largest(ipPoolEntity, observed(ipPoolBinding(deps()), poolOf(spec)));
    },
  ],
  [
    'IPPool',
    'of 1.4 MB of ranges and addresses that are kept for claims, each of which asks for its own with an annotation',
    () => {
      const textOf = (at: number): string => `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`;
      const pools = Array.from({ length: 12_000 }, (_, at) => ({
        start: textOf(2 * at),
        end: textOf(2 * at),
        gateway: '10.255.255.254',
      }));
      const preAllocations = Object.fromEntries(
        Array.from({ length: 2_000 }, (_, at) => [named('claim', at), textOf(4 * at)]),
      );
      each(MANY, (at) =>
        putIn(store, KINDS.ipClaim, named('claim', at), {
          metadata: { annotations: { ipAddress: at % 2 ? textOf(4 * at) : LONG } },
          spec: { pool: { name: 'lan' } },
          status: { errorMessage: `Failed to create ${LONG}` },
        }),
      );
      const entry = poolOf({ pools, preAllocations });
      expect(bytesOf(entry.object)).toBeGreaterThan(1_200_000);
      return largest(ipPoolEntity, observed(ipPoolBinding(deps()), entry));
    },
  ],
  [
    'IPPool',
    'whose 10,000 claims are all deleted, with their IPAddresses',
    () => {
      each(MANY, (at) => {
        const name = named('claim', at);
        const finalizers = ['ipclaim.ipam.metal3.io'];
        putIn(store, KINDS.ipClaim, name, { metadata: { finalizers, ...LEAVING }, spec: { pool: { name: 'lan' } } });
        const spec = { address: `10.0.${at >> 8}.${at & 255}`, claim: { name }, pool: { name: 'lan' } };
        putIn(store, KINDS.ipAddress, named('address', at), {
          metadata: { finalizers: ['ipaddress.ipam.metal3.io'] },
          spec,
        });
      });
      return largest(ipPoolEntity, observed(ipPoolBinding(deps()), poolOf({ pools: [{ subnet: '10.0.0.0/8' }] })));
    },
  ],
  [
    'MachineSet.machine.openshift.io',
    'of 10,000 Machines, with 10,000 more to adopt, of which one is to stay',
    () => {
      const labels = { set: 'workers' };
      const owner = {
        apiVersion: KINDS.openShiftMachine.apiVersion,
        kind: 'MachineSet',
        name: 'workers',
        controller: true,
      };
      each(MANY, (at) => {
        const ownerReferences = [{ ...owner, uid: 'workers-uid' }];
        putIn(store, KINDS.openShiftMachine, named('machine', at), { metadata: { labels, ownerReferences } });
        putIn(store, KINDS.openShiftMachine, named('orphan', at), { metadata: { labels } });
      });
      const entry = putIn(store, KINDS.openShiftMachineSet, 'workers', {
        spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: {} } },
      });
      const binding = machineSetBinding({ settings: { isController: true, fastTrack: false }, defaults: {} });
      return largest(machineSetEntity, observed(binding, entry));
    },
  ],
  [
    'Metal3Remediation',
    'with 10,000 others of the same Machine',
    () => {
      const ownerReferences = [{ apiVersion: KINDS.machine.apiVersion, kind: 'Machine', name: 'machine-1', uid: 'u' }];
      each(MANY, (at) => putIn(store, KINDS.remediation, named('other', at), { metadata: { ownerReferences } }));
      const entry = putIn(store, KINDS.remediation, 'one', { metadata: { ownerReferences } });
      return bytesOf(observed(remediationBinding({ hasMachineApi: false }), entry));
    },
  ],
];

/** Kinds whose snapshot has the object and single others that it names: only the size of these objects counts. */
const OF_SINGLE_OBJECTS: readonly (keyof typeof WORKFLOW_TYPES)[] = [
  'BareMetalHost',
  'Metal3Cluster',
  'Metal3Machine',
  'Metal3Data',
  'Machine.machine.openshift.io',
  'Machine.cluster.k8s.io',
];

describe('no payload is above 1 MB', () => {
  test.each(CASES)('%s %s', (_, __, measure) => {
    const bytes = measure();
    expect(bytes).toBeGreaterThan(500);
    expect(bytes).toBeLessThan(MOST);
  });

  test('of any kind', () => {
    const measured = new Set(CASES.map(([kind]) => kind));
    expect([...measured, ...OF_SINGLE_OBJECTS].toSorted()).toEqual(Object.keys(WORKFLOW_TYPES).toSorted());
  });
});
