import { ANNOTATIONS } from '../../api/baremetalhost/values.ts';
import { hasCome } from '../clock.ts';
import { isMovedAway } from '../cluster-api/names.ts';
import type { RegisterOrder } from '../ironic/orders.ts';
import { isLeftAlone } from '../other-operators/beside.ts';
import { same } from '../same.ts';
import { traitsOf } from '../states/table.ts';
import { wantedPreparation } from './desired/preparation.ts';
import { hostRef, isPaused, nodeOrder } from './desired/wishes.ts';
import { type HostMemory, hasBmcDetails, isDeleting, withStatus } from './memory/memory.ts';
import { LONGEST_BACKOFF_MS } from './outcome/backoff.ts';
import { shortCauseIn } from './outcome/failure.ts';
import { enter, errorCleared, historyBegins } from './outcome/transition.ts';
import { askForImage, awaitImage, imageOrder } from './registration/agent-image.ts';
import { detached } from './registration/detached-state.ts';
import { unsent } from './registration/unsent.ts';
import { forceDeletion } from './steering/force-deletion.ts';
import { retryNow } from './steering/retry.ts';
import type { HostStep } from './step.ts';

/** After this many consecutive failures, a deletion continues without the failing step. */
const FAILURES_BEFORE_GIVING_UP = 3;

/** Checked before the rules of the state, in this order; undefined means that the next one decides. */
export const GUARDS: readonly ((memory: HostMemory, now: number) => HostStep | undefined)[] = [
  paused,
  hold,
  forceDeletion,
  retryNow,
  giveUpDuringDeletion,
  backingOff,
  detached,
  undeleted,
  startDeletion,
  askForImage,
  ensureRegistered,
  awaitImage,
  followHints,
];

function paused(memory: HostMemory): HostStep | undefined {
  if (!isPaused(memory)) return undefined;
  const pause = memory.seen.annotations[ANNOTATIONS.paused];
  const byAnnotation = isLeftAlone(pause) ? pause : 'paused by the annotation baremetalhost.metal3.io/paused';
  const reason = isMovedAway(memory.seen) ? 'clusterctl has moved it to another cluster' : byAnnotation;
  return { kind: 'wait', reason, quiet: true };
}

/** Nothing is created for a host before it has our finalizer: otherwise it could be deleted unnoticed. */
function hold({ hasFinalizer, seen, status }: HostMemory): HostStep | undefined {
  const { state } = status.provisioning;
  if (hasFinalizer) return undefined;
  if (seen.deletionTimestamp !== undefined) return state === '' ? { kind: 'gone' } : undefined;
  // Nothing is done in the first state: the finalizer is written together with the next state.
  return state === '' ? undefined : { kind: 'show' };
}

function backingOff({ retry, status }: HostMemory, now: number): HostStep | undefined {
  if (retry === null) return undefined;
  const { errorType = 'error', errorMessage } = status;
  const failure = `${errorType}: ${errorMessage}`;
  const cause = `${errorType}: ${shortCauseIn(errorMessage)}`;
  if (retry.kind === 'on change') return { kind: 'wait', reason: `waiting for a change after ${failure}`, cause };
  return !hasCome(retry.at, now, LONGEST_BACKOFF_MS)
    ? {
        kind: 'wait',
        reason: `waiting to try again after ${failure}`,
        cause,
        until: retry.at,
      }
    : undefined;
}

function startDeletion(memory: HostMemory, now: number): HostStep | undefined {
  if (!isDeleting(memory)) return undefined;
  const next = traitsOf(memory.status.provisioning.state).deletion.leadsTo;
  if (next === null) return undefined;
  // Before the last step of a deletion, the error stays in the status.
  return enter(traitsOf(next).work === 'delete' ? memory : errorCleared(memory), next, now);
}

/**
 * The request for its deletion was lost when etcd was restored. Its node may be gone from Ironic: it is registered
 * again, and a host that was detached before still runs its image.
 */
function undeleted(memory: HostMemory, now: number): HostStep | undefined {
  const { image, customDeploy, state } = memory.status.provisioning;
  if (memory.seen.deletionTimestamp !== undefined || !traitsOf(state).deletion.isPart) return undefined;
  const known = { ...errorCleared(memory), registration: null, node: null };
  if ((image?.url ?? '') !== '' || customDeploy !== undefined) return enter(known, 'provisioned', now);
  return enter(known, canRegister(memory) ? 'registering' : 'unmanaged', now);
}

/** A broken BMC or failing cleaning must not block a deletion. */
function giveUpDuringDeletion(memory: HostMemory, now: number): HostStep | undefined {
  const { errorType, errorCount, provisioning } = memory.status;
  if (!isDeleting(memory) || errorCount <= FAILURES_BEFORE_GIVING_UP || errorType === undefined) return undefined;
  const next = traitsOf(provisioning.state).deletion.givenUp;
  if (next === null) return undefined;
  const canReachBmc = errorType !== 'registration error';
  // The failure count is kept: after one more failure, powering off is given up as well.
  return enter(errorCleared(memory), canReachBmc ? next : 'deleting', now);
}

/** True when Ironic does not know the node, or has, or may have, other settings or credentials than the host asks for. */
const needsRegistration = (memory: HostMemory): boolean =>
  memory.registration === null ||
  memory.registration.isUnsure === true ||
  unsent(memory, memory.registration).length > 0;

function ensureRegistered(memory: HostMemory, now: number): HostStep | undefined {
  const { state } = memory.status.provisioning;
  if (!traitsOf(state).node.registersFirst || !needsRegistration(memory)) return undefined;
  const again = isNewAccess(memory) ? historyBegins(memory, 'register', now) : memory;
  if (again !== memory) return { kind: 'note', memory: again };
  return { kind: 'act', action: { name: 'register', order: registerOrder(memory) } };
}

/** The status came with the host from another cluster, or from a backup: Ironic has not answered to it here. */
export const isBroughtAlong = (memory: HostMemory): boolean =>
  memory.registration === null && traitsOf(memory.status.provisioning.state).node.registersFirst && isNewAccess(memory);

/** operationHistory records registrations with new credentials or after a failure, but not for a changed setting. */
function isNewAccess({ status, seen, registration }: HostMemory): boolean {
  const { credentials, credentialsVersion } = status.goodCredentials ?? {};
  const version = seen.bmcSecret?.resourceVersion;
  const isKnown =
    credentials?.name === seen.spec.bmc?.credentialsName &&
    (version === credentialsVersion || version === registration?.credentialsSeen);
  return status.errorType === 'registration error' || !isKnown;
}

function registerOrder(memory: HostMemory): RegisterOrder {
  const { status, seen } = memory;
  const tried = status.triedCredentials;
  const order = nodeOrder(memory);
  const agentImage = imageOrder(memory);
  return {
    ...order,
    credentialsChanged:
      tried?.credentials?.name !== order.bmc.credentialsName ||
      tried.credentialsVersion !== (seen.bmcSecret?.resourceVersion ?? undefined),
    retry: status.errorType === 'registration error',
    credentialsSeen: seen.bmcSecret?.resourceVersion ?? null,
    ...(seen.preprovisioningNetworkData !== undefined && {
      networkSeen: seen.preprovisioningNetworkData.resourceVersion,
    }),
    deleting: isDeleting(memory),
    ...(agentImage !== undefined && { agentImage }),
  };
}

/** The status shows the root device hints at once; only preparation applies them. */
function followHints(memory: HostMemory): HostStep | undefined {
  const { hardwareProfile, provisioning } = memory.status;
  const { node, work } = traitsOf(provisioning.state);
  if (!node.registersFirst || work === 'prepare' || hardwareProfile === undefined) return undefined;
  const { rootDeviceHints: noted, ...rest } = provisioning;
  const { rootDeviceHints } = wantedPreparation(memory);
  if (same(rootDeviceHints, noted)) return undefined;
  const followed = rootDeviceHints === undefined ? rest : { ...rest, rootDeviceHints };
  return { kind: 'note', memory: withStatus(memory, { provisioning: followed }) };
}

/** Exported for the first states of a host: is there anything to register? */
export const canRegister = hasBmcDetails;

/** The fields of an order that identify the node. */
export const nodeRef = (memory: HostMemory): { host: ReturnType<typeof hostRef>; nodeId: string } => ({
  host: hostRef(memory),
  nodeId: memory.status.provisioning.ID,
});
