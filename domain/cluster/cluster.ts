import { summarise, summariseLegacy } from '../cluster-api/summary.ts';
import type { Entity, Moment, Step } from '../entity/entity.ts';
import { markdown } from '../entity/markdown.ts';
import type { Condition, LegacyCondition, Shown } from '../entity/view.ts';
import { flag, object, table, whole } from '../message/shape.ts';
import { same } from '../same.ts';
import type { Metal3ClusterSnapshot } from './snapshot.ts';

/** The fields of the Metal3Cluster that the workflow writes. */
interface ClusterRecord {
  readonly provisioned?: boolean;
  readonly infrastructure?: Omit<Condition, 'type'>;
  readonly legacyInfrastructure?: Omit<LegacyCondition, 'type'>;
  readonly paused?: Omit<Condition, 'type'>;
  readonly failure?: { readonly reason: string; readonly message: string };
}

/** Memory of the workflow of a Metal3Cluster. Plain JSON. */
export interface Metal3ClusterMemory {
  readonly version: 1;
  readonly seen: Omit<Metal3ClusterSnapshot, 'status'>;
  readonly record: ClusterRecord;
}

interface Pass {
  readonly record: ClusterRecord;
  readonly step: Step<Metal3ClusterMemory, never>;
}

const READY_TYPE = 'BaremetalInfrastructureReady';

function begin(snapshot: Metal3ClusterSnapshot): Metal3ClusterMemory {
  const { status, ...seen } = snapshot;
  const find = (type: string): Condition | undefined => status?.conditions.find((each) => each.type === type);
  const [infrastructure, paused] = [find(READY_TYPE), find('Paused')].map(withoutType);
  const legacyInfrastructure = withoutType(status?.legacyConditions.find(({ type }) => type === READY_TYPE));
  return {
    version: 1,
    seen,
    record: {
      ...(status?.provisioned !== undefined && { provisioned: status.provisioned }),
      ...(infrastructure && { infrastructure }),
      ...(paused && { paused }),
      ...(legacyInfrastructure && { legacyInfrastructure }),
    },
  };
}

function withoutType<T extends { readonly type: string }>(claim: T | undefined): Omit<T, 'type'> | undefined {
  if (claim === undefined) return undefined;
  const { type: _, ...rest } = claim;
  return rest;
}

function absorb(memory: Metal3ClusterMemory, snapshot: Metal3ClusterSnapshot): Metal3ClusterMemory {
  const { status: _, ...seen } = snapshot;
  return { ...memory, seen };
}

/** A Metal3Cluster needs no action: the user provides its endpoint. It is only checked. */
function nextStep(memory: Metal3ClusterMemory, { shown }: Moment): Step<Metal3ClusterMemory, never> {
  const { record, step } = decided(memory, shown?.finalizer === true);
  return same(record, memory.record) ? step : { kind: 'note', memory: { ...memory, record } };
}

function decided({ seen, record }: Metal3ClusterMemory, isShown: boolean): Pass {
  if (seen.managedElsewhere) return waits(record, 'managed by another controller: it has cluster.x-k8s.io/managed-by');
  const why = pauses(seen);
  if (why.length > 0) {
    const message = why.join(', ');
    return waits({ ...record, paused: { status: 'True', reason: 'Paused', message } }, `paused: ${message}`);
  }
  const isDeleting = seen.deletionTimestamp !== undefined;
  if (!seen.owner && !isDeleting) return withoutOwner(seen, record);
  const running: ClusterRecord = { ...record, paused: { status: 'False', reason: 'NotPaused', message: '' } };
  if (isDeleting) {
    if (seen.machines === 0) return { record: running, step: { kind: 'gone' } };
    const machines = seen.machines === 1 ? 'one Machine' : `${seen.machines} Machines`;
    return waits(running, `being deleted: ${machines} of its Cluster left`);
  }
  const judged = judge(seen, running);
  if (!seen.hasFinalizer && !isShown) return { record: judged, step: { kind: 'show' } };
  return waits(judged, judged.failure?.message ?? 'ready: its endpoint is known');
}

const waits = (record: ClusterRecord, reason: string): Pass => ({ record, step: { kind: 'wait', reason } });

function withoutOwner({ namespace, missingOwner: name }: Metal3ClusterMemory['seen'], record: ClusterRecord): Pass {
  if (name === undefined) return waits(record, 'waiting for Cluster API to set its owner');
  const failed: ClusterRecord = {
    ...record,
    failure: { reason: 'InvalidConfiguration', message: 'Unable to get owner cluster' },
    legacyInfrastructure: {
      status: 'False',
      severity: 'Error',
      reason: 'InternalFailureOccured',
      message: `failed to get Cluster ${namespace}/${name}: Cluster.cluster.x-k8s.io "${name}" not found`,
    },
  };
  return waits(failed, 'the Cluster that owns it does not exist');
}

const pauses = ({ owner, paused }: Metal3ClusterMemory['seen']): readonly string[] => [
  ...(owner?.paused ? ['Cluster spec.paused is set to true'] : []),
  ...(paused ? ['Metal3Cluster has the cluster.x-k8s.io/paused annotation'] : []),
];

/** The user provides the endpoint; the only check is that it has a host and a port. */
function judge({ spec }: Metal3ClusterMemory['seen'], record: ClusterRecord): ClusterRecord {
  const { host, port } = spec.controlPlaneEndpoint ?? {};
  const missing = [...(host ? [] : ['ControlPlaneEndpoint.Host']), ...(port ? [] : ['ControlPlaneEndpoint.Port'])];
  const { failure: _, ...rest } = record;
  if (missing.length === 0) {
    return {
      ...rest,
      provisioned: true,
      infrastructure: { status: 'True', reason: 'Ready', message: '' },
      legacyInfrastructure: { status: 'True' },
    };
  }
  const message = `Invalid Metal3Cluster provided: missing fields from Spec: [${missing.join(' ')}]`;
  return {
    ...rest,
    failure: { reason: 'InvalidConfiguration', message: 'Invalid Metal3Cluster provided' },
    infrastructure: { status: 'False', reason: 'InvalidConfiguration', message },
    legacyInfrastructure: { status: 'False', severity: 'Error', reason: 'ControlPlaneEndpointFailed', message },
  };
}

function show({ seen, record }: Metal3ClusterMemory): Shown {
  if (seen.managedElsewhere) return {};
  const isPaused = pauses(seen).length > 0;
  const { provisioned, infrastructure, legacyInfrastructure, paused, failure } = record;
  const { failureDomains } = seen.spec;
  const claims: readonly Condition[] = [
    ...(infrastructure ? [{ type: READY_TYPE, ...infrastructure }] : []),
    ...(paused ? [{ type: 'Paused', ...paused }] : []),
  ];
  const legacy = legacyInfrastructure ? [{ type: READY_TYPE, ...legacyInfrastructure }] : [];
  const ready = summariseLegacy([READY_TYPE], legacy);
  return {
    // No finalizer before there is an owner, and none on a paused object: clusterctl removes it there.
    ...(!isPaused && (seen.owner || seen.deletionTimestamp !== undefined) && { finalizer: true }),
    status: {
      ...(failureDomains && { failureDomains }),
      ...(provisioned !== undefined && { initialization: { provisioned } }),
      ...(failure && { deprecated: { v1beta1: { failureReason: failure.reason, failureMessage: failure.message } } }),
    },
    conditions: [summarise([READY_TYPE], claims), ...claims],
    legacyConditions: ready === undefined ? [] : [ready, ...legacy],
    ...(provisioned === true && { timed: true }),
  };
}

export const metal3ClusterEntity: Entity<Metal3ClusterSnapshot, Metal3ClusterMemory, never, never> = {
  snapshot: object({ paused: flag, managedElsewhere: flag, hasFinalizer: flag, spec: table, machines: whole(0) }),
  begin,
  absorb,
  nextStep,
  record: (memory) => memory,
  show,
  summaryOf: () => '',
  detailsOf: ({ seen }, waitingFor) =>
    markdown`**${seen.namespace}/${seen.name}**${waitingFor === '' ? '' : `: ${waitingFor}`}`,
};
