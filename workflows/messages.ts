import type { SignalDefinition, UpdateDefinition } from '@temporalio/common';
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { KindWorkflow } from '../api/kind.ts';
import type { ObjectName, ObjectRef } from '../domain/entity/object-ref.ts';
import type { Observation } from '../domain/entity/seen.ts';
import type { EntityView, Retrying } from '../domain/entity/view.ts';
import type { PlaceAnswer } from '../domain/host/approval/place-answered.ts';
import type { NodeObservation } from '../domain/host/outcome/node-observed.ts';
import type { KnownOfHost } from '../domain/host/steering/refusal.ts';
import type { PlaceRequest } from '../domain/lock/lock.ts';
import type { HostAnswer, HostClaimOrder, ReleaseOrder } from '../domain/machine/memory/step.ts';
import type { KnownOfMachine } from '../domain/machine/steering/refusal.ts';
import {
  STEERING_SHAPES,
  type SteeringInput,
  type SteeringMessage,
  type SteeringName,
  temporalNameOf,
} from '../domain/steering/messages.ts';
import type { StuckObservation } from '../domain/usual-times/stuck.ts';

/** The object as it is now, with everything that decisions depend on. Starts the workflow if none runs. */
export const observed = defineSignal<[Observation]>('observed');

/** The object of this uid no longer exists. Never starts a workflow. */
export const vanished = defineSignal<[{ readonly uid: string }]>('vanished');

/** A request of this run, or of its operation, has failed at least three times; null: it has succeeded after that. */
export const requestFailing = defineSignal<[Retrying | null]>('requestFailing');

/** To the run of an operation, just before it is cancelled: why it is no longer wanted. */
export const endedBecause = defineSignal<[string]>('endedBecause');

/** In the memo of the run of an operation: why it was cancelled. */
export const ENDED_MEMO = 'ended';

/** The object's view; undefined before the first snapshot. */
export const view = defineQuery<EntityView | undefined>('view');

/** Options of a workflow, fixed at its start and passed from run to run. */
export interface EntityOptions {
  /** Continue as new between actions when a run's history has this number of events. */
  readonly historyLimit?: number;
  /** The namespace has no search attribute for the state: the run is not listed by it. */
  readonly unlisted?: true;
}

/** What the bridge answers to a view. */
export type PublishAnswer =
  /**
   * The view is in the object's status. `at`: time of the write, by the bridge's clock, ms; older bridges leave it out.
   * `instead`: a newer view of the run, for which the bridge has asked, is there instead. `generation`: that of the
   * object now, when the bridge alone has raised it, with what belongs to this view.
   */
  | {
      readonly kind: 'published';
      readonly at?: number;
      readonly instead?: EntityView;
      readonly generation?: number;
    }
  /** A newer view was written, or the name belongs to another object now. */
  | { readonly kind: 'superseded' }
  /** The object does not exist any more. */
  | { readonly kind: 'gone' }
  /** The run knows less than the object shows: it waits for a snapshot with `anew`, which the bridge sends. */
  | { readonly kind: 'behind' };

export interface HandedOver {
  readonly view: EntityView;
}

/** The bridge's activity, on its own task queue. */
export interface PublishActivities {
  /** Writes this view to its object. Idempotent; of several views the newest wins. */
  publish(input: HandedOver): Promise<PublishAnswer>;
}

/** A message of a person, for the bridge. `Known`: what the run knows and the object does not show, or not yet. */
export interface SteerOrder<Known> {
  readonly object: ObjectRef;
  /** Unique for the message. */
  readonly id: string;
  /** When the run took it; ms since the epoch. */
  readonly requestedAt: number;
  readonly known: Known;
  readonly message: SteeringMessage;
}

export interface MachineSteerOrder extends SteerOrder<KnownOfMachine> {
  /** For a Machine of the Machine API, its `group/version`. Absent for a Metal3Machine. */
  readonly api?: string;
}

export type SteerAnswer =
  /** `at`: RFC 3339. */
  | { readonly kind: 'done'; readonly at: string; readonly said: string }
  | { readonly kind: 'refused'; readonly why: string };

/** The bridge's activities for messages of people. */
export interface SteeringActivities {
  /** Changes the BareMetalHost as the message asks, unless its current state forbids it. Idempotent. */
  steerHost(order: SteerOrder<KnownOfHost>): Promise<SteerAnswer>;
  /** The same for a machine. A message to its host only adds an entry to the list on the machine. */
  steerMachine(order: MachineSteerOrder): Promise<SteerAnswer>;
}

/** The bridge's activity for workflows that find no run of another object. */
export interface ReviveActivities {
  /** Starts the workflow of an object if none runs; does nothing when the object does not exist. Idempotent. */
  revive(input: { readonly kind: string; readonly namespace: string; readonly name: string }): Promise<void>;
}

/** The bridge's activities for locks. An answer has at most 1 MB. */
export interface LockActivities {
  /**
   * The hosts whose objects show that a step with a budget has begun, those behind `after` in the order of their ids.
   * Their runs may know other tickets. `next`: where to go on; absent at the end.
   */
  hostsUnderway(input: { readonly after: string }): Promise<HostsUnderway>;
  /** The workflow ids of the hosts that these short names stand for; a host that does not exist is left out. */
  namesOfHosts(input: { readonly shortNames: readonly string[] }): Promise<{ readonly ids: readonly string[] }>;
}

export interface HostsUnderway {
  readonly requests: readonly PlaceRequest[];
  readonly next?: string;
}

/**
 * Type of the failure of an activity whose object does not ask for the request (any more): Temporal was restored from a
 * backup, the run was reset, or the message is forged.
 */
export const STALE = 'Stale';

/*
 * Task queues, each for what its activities wait for: their slots are apart, so what does not answer keeps only those
 * waiting that need it (docs/ARCHITECTURE.md).
 */

/** Workflows, and short activities in the API server and in workload clusters. */
export const TASK_QUEUE = 'temper';
/** Requests to Ironic. */
export const IRONIC_TASK_QUEUE = 'temper-ironic';
/** Activities that wait for a list of Ironic's nodes. */
export const WAIT_TASK_QUEUE = 'temper-wait';
/** Activities that wait for the answer of a host's run, which needs activities of the first queue for it. */
export const MESSAGE_TASK_QUEUE = 'temper-messages';
/** Activities that wait for Nodes, which may never come or be free. */
export const NODE_TASK_QUEUE = 'temper-nodes';
/** Activities of the bridge. */
export const BRIDGE_TASK_QUEUE = 'bridge';

/** `metal3machine/<namespace>/<name>`. */
export const entityWorkflowId = (kind: string, { namespace, name }: ObjectName): string =>
  `${kind.toLowerCase()}/${namespace}/${name}`;

/** To a host: its Ironic node, which differs from what the host shows. Never starts a workflow. */
export const nodeObserved = defineSignal<[NodeObservation]>('nodeObserved');

/** To a host: it is in this state for much longer than is usual for its hardware. Never starts a workflow. */
export const stuckObserved = defineSignal<[StuckObservation]>('stuckObserved');

/** To a host: it has a slot in Ironic, or its places in budgets, or what it waits for. */
export const placeAnswered = defineSignal<[PlaceAnswer]>('placeAnswered');

/** Claims the host for a machine. Refused without an entry in the history when it is known to have another consumer. */
export const claim = defineUpdate<HostAnswer, [HostClaimOrder]>('claim');

/** Releases the host from a machine. */
export const release = defineUpdate<HostAnswer, [ReleaseOrder]>('release');

/**
 * What people ask of a host or a machine, by its name in domain/steering/messages.ts: each as an update, which answers,
 * and as a signal of the same name.
 */
export const STEERING_MESSAGES = Object.fromEntries(
  (Object.keys(STEERING_SHAPES) as readonly SteeringName[]).map((message) => {
    const name = temporalNameOf(message);
    return [message, { asUpdate: defineUpdate(name), asSignal: defineSignal(name) }];
  }),
) as Readonly<Record<SteeringName, SteeringDefinitions>>;

interface SteeringDefinitions {
  readonly asUpdate: UpdateDefinition<string, [SteeringInput]>;
  readonly asSignal: SignalDefinition<[SteeringInput]>;
}

/**
 * Temporal's default limit of a workflow task. When a worker is killed during a task, the next attempt begins after
 * this time.
 */
const TASK_TIMEOUT = '10 seconds';
/** For runs that serve many objects: one workflow task may have thousands of signals or claims. */
export const LONG_TASK_TIMEOUT = '30 seconds';

export const taskTimeoutOf = ({ hasLongTasks }: KindWorkflow): '10 seconds' | '30 seconds' =>
  hasLongTasks ? LONG_TASK_TIMEOUT : TASK_TIMEOUT;

/** `baremetalhost/<namespace>/<name>`. */
export const hostWorkflowId = (host: ObjectName): string => entityWorkflowId('BareMetalHost', host);
