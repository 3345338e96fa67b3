import { CLUSTER_LABELS } from '../cluster-api/names.ts';
import { isPutOff } from '../entity/retry.ts';
import { isConsumer, isPausedByCluster } from './choose-host/host-facts.ts';
import { type MachineMemory, withConditions, withoutRecorded, withRecord } from './memory/memory.ts';
import { actPass, attempt, type Complaint, is, isNot, legacyIsNot, type Pass, waitPass } from './memory/pass.ts';
import type { HostOrder } from './memory/step.ts';

/** Checked in order; a result that does not decide is passed to the next guard. */
export type MachineGuard = (memory: MachineMemory, now: number) => Pass | MachineMemory;

const isDeleting = ({ seen }: MachineMemory): boolean => seen.deletionTimestamp !== undefined;

const NO_OWNER_LEGACY = 'WaitingForM3MachineOwnerRef';

const waitsForOwner: MachineGuard = (memory) => {
  if (memory.seen.owner) return memory;
  if (isDeleting(memory)) return memory;
  const told = withConditions(
    memory,
    isNot(
      'AssociateBareMetalHost',
      'WaitingForMetal3MachineOwnerRef',
      'Waiting for Machine Controller to set OwnerRef on Metal3Machine',
    ),
    legacyIsNot('AssociateBMH', 'Info', NO_OWNER_LEGACY),
  );
  return waitPass(
    told,
    memory.seen.owner === null ? 'the Machine that owns it does not exist' : 'waiting for Cluster API to set its owner',
  );
};

/**
 * The failure domain is always copied from the Machine; the cleaning mode is copied from the template, if the template
 * has one.
 */
const followsOthers: MachineGuard = (memory) => {
  const { spec, owner, template } = memory.seen;
  const wanted = owner?.failureDomain || undefined;
  const mode = template?.paused === true ? undefined : template?.automatedCleaningMode;
  return withRecord(memory, {
    spec: {
      ...(owner && wanted !== spec.failureDomain && { failureDomain: wanted ?? null }),
      ...(mode !== undefined && mode !== spec.automatedCleaningMode && { automatedCleaningMode: mode }),
    },
  });
};

const WAITS_FOR_CLUSTER = 'WaitingForClusterInfrastructureReady';

/**
 * Legacy conditions cannot express a missing Cluster. The earlier one, which says that the machine waits for its owner,
 * is removed.
 */
function withoutOwnerLegacy(memory: MachineMemory): MachineMemory {
  const { AssociateBMH, ...legacy } = memory.record.legacy;
  return AssociateBMH?.reason === NO_OWNER_LEGACY ? withRecord(memory, { legacy }) : memory;
}

const waitsForCluster: MachineGuard = (memory) => {
  const { cluster, metal3Cluster } = memory.seen;
  if (isDeleting(memory)) return memory;
  if (cluster === undefined) {
    const message = 'Machine is missing cluster label or cluster does not exist';
    const told = withConditions(
      withoutOwnerLegacy(withoutRecorded(memory, ['failure'])),
      isNot('AssociateBareMetalHost', WAITS_FOR_CLUSTER, message),
    );
    return waitPass(told, 'its Cluster does not exist, or its Machine does not name it');
  }
  if (!cluster.infrastructureReady) {
    const message = 'Waiting for Metal3Cluster Controller to create cluster infrastructure';
    const told = withConditions(
      memory,
      isNot('AssociateBareMetalHost', WAITS_FOR_CLUSTER, message),
      legacyIsNot('AssociateBMH', 'Info', 'WaitingForClusterInfrastructure'),
    );
    return waitPass(told, `waiting for the infrastructure of Cluster ${cluster.name} to be ready`);
  }
  if (metal3Cluster === undefined) {
    const message = 'Waiting for Metal3Cluster Controller to create the Metal3Cluster';
    const told = withConditions(
      memory,
      isNot('AssociateBareMetalHost', 'WaitingforMetal3Cluster', message),
      legacyIsNot('AssociateBMH', 'Info', 'WaitingforMetal3Cluster'),
    );
    return waitPass(told, `the Metal3Cluster of Cluster ${cluster.name} does not exist`);
  }
  return memory;
};

/** The host, for an action on it that only its own machine may ask for; undefined without a host. */
export function hostOrder({ seen }: MachineMemory): HostOrder | undefined {
  if (seen.host === undefined) return undefined;
  const { namespace, name, uid } = seen.host;
  return { host: { namespace, name, uid }, machine: { namespace: seen.namespace, name: seen.name } };
}

export const ownsHost = ({ seen }: MachineMemory): boolean => isConsumer(seen.host?.consumer, seen);

const pauseFailed: Complaint = {
  type: 'AssociateBareMetalHost',
  reason: 'BareMetalHostPauseAnnotationSetFailed',
  prefix: 'Failed to set pause annotation on associated BareMetalHost. Error',
  legacy: () => legacyIsNot('AssociateBMH', 'Info', 'PauseAnnotationSetFailedReason'),
};
const unpauseFailed: Complaint = {
  type: 'AssociateBareMetalHost',
  reason: 'BareMetalHostPauseAnnotationRemoveFailed',
  prefix: 'Failed to remove pause annotation on associated BareMetalHost. Error',
  legacy: () => legacyIsNot('AssociateBMH', 'Info', 'PauseAnnotationRemoveFailed'),
};

/** Sets the condition Paused to the same text as that of the association. */
const alsoOfPaused = (pass: Pass): Pass => {
  const { claims } = pass.memory.record;
  const failed = claims.AssociateBareMetalHost;
  return failed === undefined ? pass : { ...pass, memory: withConditions(pass.memory, { Paused: failed }) };
};

/**
 * clusterctl must not move hosts before they are paused: one annotation blocks the move, another stores their status.
 */
const followsPause: MachineGuard = (memory, now) => {
  const { seen } = memory;
  const order = hostOrder(memory);
  const { host, cluster } = seen;
  if (order !== undefined && host !== undefined && !host.deleting) {
    if (cluster?.paused === true) {
      const isDone = host.paused !== undefined && !host.blocksMove;
      const isOther = host.consumer !== undefined && !ownsHost(memory);
      if (!isDone && !isOther) return failing(attempt(memory, { name: 'pause host', order }, pauseFailed, now));
    } else if (
      isPausedByCluster(host) &&
      cluster !== undefined &&
      host.labels[CLUSTER_LABELS.clusterName] === cluster.name
    ) {
      const unpause = { ...order, clusterName: cluster.name };
      return failing(attempt(memory, { name: 'unpause host', order: unpause }, unpauseFailed, now));
    } else if (ownsHost(memory) && host.paused === undefined && !host.blocksMove && !isDeleting(memory)) {
      // Only a move depends on it, so a failure does not block anything else.
      const isTried = memory.trouble?.action === 'block move' && isPutOff(memory.trouble, now);
      if (!isTried) return actPass(memory, { name: 'block move', order });
    }
  }
  if (cluster?.paused !== true && !seen.paused) return withConditions(memory, isNot('Paused', 'NotPaused'));
  return pausedPass(memory, cluster?.paused === true ? `Cluster ${cluster.name} is paused` : BY_ANNOTATION);
};

const BY_ANNOTATION = 'paused by its annotation';

function pausedPass(memory: MachineMemory, reason: string): Pass {
  const told = withConditions(
    memory,
    { ...isNot('AssociateBareMetalHost', 'Paused'), ...is('Paused', 'Paused') },
    legacyIsNot('AssociateBMH', 'Info', 'Metal3MachinePaused'),
  );
  return waitPass(told, reason);
}

/** A machine that its annotation pauses shows the pause, and not what it would wait for. */
const unlessPaused =
  (guard: MachineGuard): MachineGuard =>
  (memory, now) => {
    const result = guard(memory, now);
    return 'step' in result && memory.seen.paused ? pausedPass(memory, BY_ANNOTATION) : result;
  };

const failing = (pass: Pass): Pass => (pass.step.kind === 'wait' ? alsoOfPaused(pass) : pass);

/** The preconditions for all work on a machine. During deletion only a pause is respected. */
export const MACHINE_GUARDS: readonly MachineGuard[] = [
  unlessPaused(waitsForOwner),
  followsOthers,
  unlessPaused(waitsForCluster),
  followsPause,
];
