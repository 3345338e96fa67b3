import type { Outcome } from '../../domain/entity/entity.ts';
import type { Shown } from '../../domain/entity/view.ts';
import type { HostFacts } from '../../domain/machine/choose-host/host-facts.ts';
import { machineApiEntity } from '../../domain/machine-api/entity.ts';
import type { MachineApiMemory } from '../../domain/machine-api/memory.ts';
import { OPENSHIFT_API } from '../../domain/machine-api/names.ts';
import type { MachineApiSnapshot, NodeSeen } from '../../domain/machine-api/snapshot.ts';
import type { MachineApiAnswer, MachineApiStep } from '../../domain/machine-api/step.ts';
import { AT, aHostFact } from './machine.ts';

/** Fields to change; undefined removes one. */
type Change<T> = { readonly [Key in keyof T]?: T[Key] | undefined };

export const WISH = {
  image: { url: 'http://images/a.qcow2', checksum: 'http://images/a.qcow2.md5sum' },
  userData: { name: 'worker-user-data', namespace: 'metal' },
} as const;

export const CONSUMER = { apiVersion: OPENSHIFT_API, kind: 'Machine', name: 'worker-0', namespace: 'metal' } as const;
/** Another Machine. */
export const OTHER = { ...CONSUMER, name: 'worker-1' };
export const PROVIDER_ID = 'baremetalhost:///metal/host-1/host-uid-1';
/** Beside the machine controller of OpenShift. */
export const ACTUATOR = { isController: false, fastTrack: false };
export const DELETED = { deletionTimestamp: '2026-01-02T00:00:00Z' };

/** A Machine with its finalizer, but without a host. */
export const aMachineOf = (change: Change<MachineApiSnapshot> = {}): MachineApiSnapshot =>
  ({
    namespace: 'metal',
    name: 'worker-0',
    uid: 'machine-uid',
    resourceVersion: '100',
    generation: 1,
    creationTimestamp: '2026-01-01T00:00:00Z',
    api: OPENSHIFT_API,
    settings: { isController: true, fastTrack: false },
    isAdopted: true,
    hasFinalizer: true,
    desired: WISH,
    providerID: '',
    link: '',
    hostNews: { bridge: 'b', count: 0 },
    hooks: [],
    isDrained: true,
    ...change,
  }) as MachineApiSnapshot;

/** The Machine's host, on which its image runs. */
export const itsHost = (change: Change<HostFacts> = {}): HostFacts =>
  aHostFact({
    consumer: CONSUMER,
    state: 'provisioned',
    poweredOn: true,
    online: true,
    hasImage: true,
    userData: WISH.userData,
    ips: ['192.168.111.20'],
    hostname: 'node-a',
    ...(change as Partial<HostFacts>),
  });

export const itsNode = (change: Partial<NodeSeen> = {}): NodeSeen => ({
  name: 'node-a',
  uid: 'node-uid',
  providerID: PROVIDER_ID,
  machine: 'metal/worker-0',
  hasLegacyFinalizer: false,
  ...change,
});

/** A Machine that runs as a Node. */
export const aRunningMachine = (change: Change<MachineApiSnapshot> = {}): MachineApiSnapshot => {
  const { hostNews: _, ...machine } = aMachineOf();
  return {
    ...machine,
    providerID: PROVIDER_ID,
    link: 'metal/host-1',
    host: itsHost(),
    node: itsNode(),
    nodeRef: 'node-a',
    ...change,
  } as MachineApiSnapshot;
};

const { begin, nextStep, record, show } = machineApiEntity;

export const stepOf = (memory: MachineApiMemory, shown: Shown | null = null, now = AT): MachineApiStep =>
  nextStep(memory, { now, shown });
export const look = (seen: MachineApiSnapshot): string => wordsOf(stepOf(begin(seen)));
export const shownBy = (seen: MachineApiSnapshot): Shown => show(begin(seen));

export function actionOf(memory: MachineApiMemory) {
  const step = stepOf(memory);
  if (step.kind !== 'act') throw new Error(wordsOf(step));
  return step.action;
}

/** The memory after its next action ended with this outcome. */
export const ended = (memory: MachineApiMemory, outcome: Outcome<MachineApiAnswer>, now = AT): MachineApiMemory =>
  record(memory, actionOf(memory), outcome, { now, dice: 0, before: memory });
export const answered = (memory: MachineApiMemory, answer: MachineApiAnswer): MachineApiMemory =>
  ended(memory, { kind: 'done', answer });

export function wordsOf(step: MachineApiStep): string {
  switch (step.kind) {
    case 'act': {
      const { name, order } = step.action;
      return 'change' in order ? `${name} ${JSON.stringify(order.change)}` : name;
    }
    case 'wait':
      return `wait: ${step.reason}`;
    case 'note':
    case 'become':
    case 'show':
    case 'gone':
      return step.kind;
  }
}
