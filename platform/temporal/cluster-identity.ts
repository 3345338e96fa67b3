import { setTimeout as sleep } from 'node:timers/promises';
import { Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { NamespaceNotFoundError } from '@temporalio/common';
import { messageOf } from '../../domain/message-of.ts';
import type { Log } from '../log.ts';
import { describe } from './describe.ts';
import type { HistoryMark } from './history-mark.ts';

/** The memo of this workflow names the cluster that uses the Temporal namespace. */
export const CLUSTER_WORKFLOW_ID = 'temper-cluster';
/** No worker knows this type or polls this queue: the workflow exists for its memo. */
const TYPE = 'clusterIdentity';
const QUEUE = 'temper-cluster';
/** When the workflow's first task is due; until then Temporal has no work for it. */
const NEVER = '36500 days';
const DEADLINE_MS = 5_000;
/** Interval at which the identity is compared again: it is lost with Temporal's database. */
const CHECK_MS = 10_000;
/** Pause before another attempt while Temporal or the API server do not answer. */
const RETRY_MS = 1_000;

/** Another cluster uses the namespace. */
export interface OtherCluster {
  readonly uid: string;
  readonly since: string;
}

/**
 * Keeps the identity of this cluster in the Temporal namespace if none is kept, and compares it otherwise: undefined
 * when the namespace is ours. Of several clusters at once the first one gets it.
 */
export async function keepCluster(encrypting: Client, uid: string): Promise<OtherCluster | undefined> {
  const client = plain(encrypting);
  for (;;) {
    const kept = await readKept(client);
    if (kept !== undefined) return kept.uid === uid ? undefined : kept;
    try {
      await client.connection.withDeadline(Date.now() + DEADLINE_MS, () =>
        client.workflow.start(TYPE, {
          workflowId: CLUSTER_WORKFLOW_ID,
          taskQueue: QUEUE,
          startDelay: NEVER,
          memo: { cluster: uid },
          staticSummary: `this namespace is used by the cluster ${uid}`,
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          workflowIdConflictPolicy: 'FAIL',
        }),
      );
      return undefined;
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  }
}

/** The memo is never encrypted: a process with other encryption keys, or without any, must be able to read it. */
const plain = ({ connection, options }: Client): Client =>
  new Client({ connection, namespace: options.namespace, identity: options.identity });

async function readKept(client: Client): Promise<OtherCluster | undefined> {
  const run = await describe(client, CLUSTER_WORKFLOW_ID);
  if (run?.status.name !== 'RUNNING') return undefined;
  return { uid: String(run.memo?.['cluster']), since: run.startTime.toISOString() };
}

export interface OwnNamespaceOptions {
  readonly client: Client;
  /** Identity of this cluster. */
  readonly readUid: () => Promise<string>;
  readonly log: Log;
  /** Called with what is missing until the work can begin; '': nothing. */
  readonly onMissing: (missing: string) => void;
  /** Called for each comparison: whether Temporal has answered, whatever the API server does. */
  readonly onAnswer?: (doesAnswer: boolean) => void;
  /** Notices that Temporal's database was put back to an earlier time; absent: nothing does. */
  readonly mark?: Pick<HistoryMark, 'look'>;
  /** Comparisons that are left out before the work begins again after that. */
  readonly restsFor?: number;
  /** ms between two comparisons. */
  readonly checkMs?: number;
}

const PUT_BACK =
  "Temporal's database was put back to an earlier time: what this process remembers of its runs is forgotten, and it begins anew";

/**
 * Works while the Temporal namespace exists and belongs to this cluster: the ids of workflows are made from the names of
 * objects, so two clusters in one namespace would take each other's workflows and tasks. When another cluster has it, or
 * nobody has created it, the work ends, and begins again once it is ours. It also ends and begins again when Temporal's
 * database was put back to an earlier time. `work` never runs twice at a time.
 */
export async function whileNamespaceIsOurs(
  options: OwnNamespaceOptions,
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { log, onMissing, mark, restsFor = 0, checkMs = CHECK_MS } = options;
  const pause = (ms: number, unless: AbortSignal): Promise<unknown> =>
    sleep(ms, undefined, { signal: unless }).catch(() => undefined);
  let said = '';
  const say = (missing: string): void => {
    onMissing(missing);
    if (missing !== '' && missing !== said) log.error({ workflowId: CLUSTER_WORKFLOW_ID }, missing);
    said = missing;
  };

  while (!signal.aborted) {
    const refusal = await compare(options).catch((error: unknown) => unknownOwner(messageOf(error)));
    say(refusal?.words ?? '');
    if (refusal !== undefined) {
      await pause(Math.min(refusal.pauseMs, checkMs), signal);
      continue;
    }
    let isPutBack = false;
    const lost = new AbortController();
    const ending = AbortSignal.any([signal, lost.signal]);
    const working = work(ending).finally(() => lost.abort());
    // Awaited below; until then it must not count as unhandled.
    working.catch(() => undefined);
    while (!ending.aborted) {
      await pause(checkMs, ending);
      if (ending.aborted) break;
      isPutBack = (await mark?.look().catch(() => false)) ?? false;
      if (isPutBack) log.error(PUT_BACK);
      const refusedNow = await compare(options).catch(() => undefined);
      if (refusedNow !== undefined) say(refusedNow.words);
      if (isPutBack || refusedNow !== undefined) lost.abort();
    }
    await working;
    if (said === '' && !isPutBack) return;
    if (isPutBack) await pause(restsFor * checkMs, signal);
  }
}

/** Why the namespace is not used. */
interface Refusal {
  readonly words: string;
  /** ms until it is looked at again. */
  readonly pauseMs: number;
}

/** Undefined when the namespace is ours. */
async function compare({ client, readUid, onAnswer }: OwnNamespaceOptions): Promise<Refusal | undefined> {
  const { namespace } = client.options;
  const fromTemporal = async <T>(asked: Promise<T>): Promise<T> => {
    try {
      const answer = await asked;
      onAnswer?.(true);
      return answer;
    } catch (error) {
      onAnswer?.(error instanceof NamespaceNotFoundError);
      throw error;
    }
  };
  try {
    const kept = await fromTemporal(readKept(plain(client)));
    const uid = await readUid();
    if (kept?.uid === uid) return undefined;
    const other = await fromTemporal(keepCluster(client, uid));
    return other && usedByOther(namespace, uid, other);
  } catch (error) {
    if (error instanceof NamespaceNotFoundError) return notThere(namespace);
    throw error;
  }
}

const unknownOwner = (error: string): Refusal => ({
  words: `it is not known which cluster the Temporal namespace belongs to: ${error}`,
  pauseMs: RETRY_MS,
});

const notThere = (namespace: string): Refusal => ({
  words:
    `the Temporal namespace ${namespace} does not exist: create it (temporal operator namespace create ` +
    `--namespace ${namespace}), or set TEMPORAL_NAMESPACE to one that exists`,
  pauseMs: RETRY_MS,
});

const usedByOther = (namespace: string, uid: string, other: OtherCluster): Refusal => ({
  words:
    `the Temporal namespace ${namespace} is used by another cluster (kube-system has the uid ${other.uid}, since ${other.since}; here ` +
    `it has ${uid}): set TEMPORAL_NAMESPACE to a namespace for this cluster alone. If this cluster replaces the other, stop ` +
    `bridge and workers there, then: temporal workflow terminate --namespace ${namespace} --workflow-id ${CLUSTER_WORKFLOW_ID}`,
  pauseMs: CHECK_MS,
});
