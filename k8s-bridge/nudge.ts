import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { parseBareMetalHost } from '../api/baremetalhost/parse.ts';
import type { HostSettings } from '../domain/host/memory/settings.ts';
import type { HostSnapshot } from '../domain/host/memory/snapshot.ts';
import { same } from '../domain/same.ts';
import type { Kube } from '../kube/client.ts';
import { keyOf, nameOf } from '../kube/reflector.ts';
import type { Log } from '../platform/log.ts';
import {
  HOST_WORKFLOW_TYPE,
  type HostOptions,
  hostObserved,
  hostVanished,
  hostWorkflowId,
  TASK_QUEUE,
} from '../workflows/host/messages.ts';
import { essence, observe } from './bindings/baremetalhost.ts';
import { recordEvent } from './events.ts';
import { failCountWritten } from './fail-count.ts';
import type { Ledger } from './ledger.ts';
import { readHost } from './resource.ts';
import type { Cluster, HostEntry } from './watch.ts';

export interface Nudge {
  /** Tells the host's workflow what it has not been told yet, starting it if need be; true when there was something to tell. */
  tell(key: string): Promise<boolean>;
  /** The BareMetalHost vanished; unless we let it go ourselves its workflow is told with the next `tell`. */
  vanished(last: HostEntry): void;
  /** Everybody is to be told again: nobody knows what Temporal remembers. */
  forgetAll(): void;
}

export interface NudgeDeps {
  readonly kube: Kube;
  readonly client: Client;
  readonly cluster: Pick<Cluster, 'dataImage' | 'host' | 'hardware' | 'image' | 'secretVersion'>;
  readonly ledger: Ledger;
  readonly options: HostOptions;
  readonly settings: HostSettings;
  readonly log: Log;
  readonly now: () => number;
  /** A host can't be read, which was not known before. */
  readonly onUnreadable: () => void;
}

const DEADLINE_MS = 10_000;

export function createNudge(deps: NudgeDeps): Nudge {
  const { kube, client, cluster, ledger, options, settings, log, now, onUnreadable } = deps;
  const told = new Map<string, ReturnType<typeof essence>>();
  const complaints = new Map<string, string>();
  const orphans = new Map<string, string>();

  const tell = async (key: string): Promise<boolean> => {
    const entry = cluster.host(key);
    if (entry === undefined) return tellOrphan(key);
    orphans.delete(key);
    const parsed = parseBareMetalHost(entry.object);
    if (!parsed.ok) return complain(entry, parsed.problems);
    // We let it go: whatever happens to it now, a workflow started for it would find nothing.
    if (ledger.get(entry.uid)?.finalizer === false) return false;
    const { uid, resourceVersion, object } = entry;
    const { status } = readHost(object);
    const count = failCountWritten({ status, resourceVersion }, ledger.get(uid));
    const snapshot = {
      ...observe(parsed.host, cluster, settings),
      ...(count !== undefined && { failCountWritten: count }),
    };
    const news = essence(snapshot);
    if (same(told.get(entry.uid), news)) return false;
    await signalWithStart(snapshot);
    told.set(entry.uid, news);
    log.debug({ host: key, generation: snapshot.generation }, 'told the workflow');
    return true;
  };

  const signalWithStart = (snapshot: HostSnapshot): Promise<unknown> =>
    client.connection.withDeadline(Date.now() + DEADLINE_MS, () =>
      client.workflow.signalWithStart(HOST_WORKFLOW_TYPE, {
        workflowId: hostWorkflowId(snapshot),
        taskQueue: TASK_QUEUE,
        args: [{ options }],
        signal: hostObserved,
        signalArgs: [snapshot],
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        staticSummary: `Host ${snapshot.name} in ${snapshot.namespace}`,
      }),
    );

  /** Somebody took the finalizer off, so the host went without its workflow having agreed. */
  const tellOrphan = async (key: string): Promise<boolean> => {
    const uid = orphans.get(key);
    if (uid === undefined) return false;
    try {
      await client.connection.withDeadline(Date.now() + DEADLINE_MS, () =>
        client.workflow.getHandle(hostWorkflowId(nameOf(key))).signal(hostVanished, { uid }),
      );
      log.info({ host: key }, 'host vanished without its finalizer having been taken off by us');
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
    orphans.delete(key);
    return true;
  };

  const complain = async (entry: HostEntry, problems: readonly string[]): Promise<boolean> => {
    const { namespace, name, uid } = entry;
    const message = `The BareMetalHost can't be read and is left alone: ${problems.join('; ')}`;
    if (complaints.get(uid) === message) return false;
    log.warn({ host: keyOf(entry), problems }, 'host can not be read');
    const event = { id: message, reason: 'InvalidHost', message: message.slice(0, 1000) };
    await recordEvent(kube, { host: { namespace, name, uid }, run: '', event, type: 'Warning', now: now() });
    complaints.set(uid, message);
    onUnreadable();
    return false;
  };

  return {
    tell,
    vanished(last) {
      const letGo = ledger.get(last.uid)?.finalizer === false;
      told.delete(last.uid);
      complaints.delete(last.uid);
      ledger.forget(last.uid);
      if (!letGo) orphans.set(keyOf(last), last.uid);
    },
    forgetAll: () => told.clear(),
  };
}
