import type { Shown } from '../../domain/entity/view.ts';
import type { HostFacts } from '../../domain/machine/choose-host/host-facts.ts';
import type { MachineMemory } from '../../domain/machine/memory/memory.ts';
import type { MachineStep } from '../../domain/machine/memory/pass.ts';
import type { MachineSnapshot, OwnerMachine } from '../../domain/machine/memory/snapshot.ts';
import type { MachineAction, MachineAnswer } from '../../domain/machine/memory/step.ts';
import { machineEntity } from '../../domain/machine/next-step.ts';

export const AT = Date.parse('2026-01-01T00:00:00Z');

/** A free host of its namespace. */
export const aHostFact = (change: Partial<HostFacts> = {}): HostFacts => ({
  namespace: 'metal',
  name: 'host-1',
  uid: 'host-uid-1',
  resourceVersion: '50',
  labels: {},
  blocksMove: false,
  unhealthy: false,
  detached: false,
  deleting: false,
  state: 'available',
  errorMessage: '',
  poweredOn: false,
  credentialsName: 'host-1-bmc',
  hasImage: false,
  hasCustomDeploy: false,
  online: false,
  automatedCleaningMode: 'metadata',
  disablePowerOff: false,
  ips: [],
  hostname: '',
  ...change,
});

export const CONSUMER = {
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'Metal3Machine',
  name: 'm3m-1',
  namespace: 'metal',
} as const;

/** The host of the machine after its spec was written, as for a running machine. */
export const anOwnHost = (change: Partial<HostFacts> = {}): HostFacts =>
  aHostFact({
    consumer: CONSUMER,
    blocksMove: true,
    labels: { 'cluster.x-k8s.io/cluster-name': 'test1' },
    state: 'provisioned',
    poweredOn: true,
    online: true,
    hasImage: true,
    userData: { name: 'boot', namespace: 'metal' },
    ips: ['192.168.111.20'],
    hostname: 'node-a',
    ...change,
  });

export const anOwner = (change: Partial<OwnerMachine> = {}): OwnerMachine => ({
  name: 'machine-1',
  namespace: 'metal',
  clusterName: 'test1',
  configRef: 'boot-config',
  dataSecretName: 'boot',
  bootstrapReady: true,
  ...change,
});

export const IMAGE = {
  url: 'http://images/a.raw',
  checksum: 'http://images/a.raw.sha256',
  checksumType: 'sha256',
  diskFormat: 'raw',
} as const;

/** A Metal3Machine with finalizer, owner and all preconditions, but without a host. */
export const aMachineSnapshot = (change: Partial<MachineSnapshot> = {}): MachineSnapshot => ({
  namespace: 'metal',
  name: 'm3m-1',
  uid: 'm3m-uid-1',
  resourceVersion: '100',
  generation: 1,
  creationTimestamp: '2026-01-01T00:00:00Z',
  labels: { 'cluster.x-k8s.io/cluster-name': 'test1' },
  paused: false,
  hasFinalizer: true,
  spec: { image: IMAGE },
  settings: { providerIdFormat: 'names', fastTrack: false },
  owner: anOwner(),
  cluster: { name: 'test1', namespace: 'metal', paused: false, deleting: false, infrastructureReady: true },
  metal3Cluster: { name: 'test1', namespace: 'metal', cloudProvider: false, paused: false },
  ...change,
});

/** The same with its host, as its annotation names it. */
export const aMachineOnHost = (change: Partial<MachineSnapshot> = {}): MachineSnapshot =>
  aMachineSnapshot({ hostAnnotation: 'metal/host-1', host: anOwnHost(), ...change });

export const { begin, absorb } = machineEntity;

const NOTHING_SHOWN = null;

/** Follows the next steps until there is an action or a wait. */
export function settled(
  memory: MachineMemory,
  at: { readonly now?: number; readonly shown?: Shown | null } = {},
): { readonly memory: MachineMemory; readonly step: MachineStep } {
  const moment = { now: at.now ?? AT, shown: at.shown ?? NOTHING_SHOWN };
  let current = memory;
  for (let notes = 0; notes < 10; notes++) {
    const step = machineEntity.nextStep(current, moment);
    if (step.kind !== 'note') return { memory: current, step };
    current = step.memory;
  }
  throw new Error('the machine does not come to rest');
}

/** The first step of a new workflow for this snapshot. */
export const look = (snapshot: MachineSnapshot): ReturnType<typeof settled> => settled(begin(snapshot));

/** The memory of a machine whose action got this answer. */
export function answered(
  { memory, step }: ReturnType<typeof settled>,
  answer: MachineAnswer,
  name?: MachineAction['name'],
): ReturnType<typeof settled> {
  if (step.kind !== 'act') throw new Error(`not acting but: ${JSON.stringify(step)}`);
  if (name !== undefined && step.action.name !== name) throw new Error(`not ${name} but ${step.action.name}`);
  return settled(
    machineEntity.record(memory, step.action, { kind: 'done', answer }, { now: AT, dice: 0, before: memory }),
  );
}

export function failed({ memory, step }: ReturnType<typeof settled>, message: string): ReturnType<typeof settled> {
  if (step.kind !== 'act') throw new Error(`not acting but: ${JSON.stringify(step)}`);
  return settled(
    machineEntity.record(memory, step.action, { kind: 'failed', message }, { now: AT, dice: 0, before: memory }),
  );
}

/** A condition of the machine as a short text: `False Reason: message`. */
export function condition(memory: MachineMemory, type: string): string | undefined {
  const found = machineEntity.show(memory).conditions?.find((each) => each.type === type);
  return found && `${found.status} ${found.reason}${found.message === '' ? '' : `: ${found.message}`}`;
}

/** The same for a legacy condition: `False Severity Reason: message`. */
export function legacyCondition(memory: MachineMemory, type: string): string | undefined {
  const found = machineEntity.show(memory).legacyConditions?.find((each) => each.type === type);
  if (found === undefined) return undefined;
  const { status, severity, reason, message } = found;
  return [status, severity, reason].filter((word) => word !== undefined).join(' ') + (message ? `: ${message}` : '');
}
