import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { Seen } from '../../domain/entity/seen.ts';
import { same } from '../../domain/same.ts';
import { nameOf } from '../../kube/reflector.ts';
import type { Log } from '../../platform/log.ts';
import { type EntityOptions, entityWorkflowId, observed, vanished } from '../../workflows/entity/messages.ts';
import { TASK_QUEUE } from '../../workflows/host/messages.ts';
import { type Binding, type Entry, isUnreadable, type Stores } from './binding.ts';
import type { OwnObjects } from './looked-after.ts';
import type { EntityLedger } from './write.ts';

export interface TellDeps {
  readonly client: Client;
  readonly stores: Stores;
  readonly own: OwnObjects;
  readonly ledger: EntityLedger;
  readonly options: EntityOptions;
  readonly log: Log;
}

export interface Tell {
  /** Tells the object's workflow what it has not been told yet, starting it if need be; true when there was something to tell. */
  tell(key: string): Promise<boolean>;
  /** The object is no more, or no longer ours; unless we let it go ourselves its workflow is told with the next `tell`. */
  vanished(last: Entry): void;
  /** Everybody is to be told again: nobody knows what Temporal remembers. */
  forgetAll(): void;
}

const DEADLINE_MS = 10_000;

export function createTell(binding: Binding, { client, stores, own, ledger, options, log }: TellDeps): Tell {
  const { followed, workflowType } = binding;
  const told = new Map<string, unknown>();
  const complaints = new Map<string, string>();
  const orphans = new Map<string, string>();

  const signalWithStart = (snapshot: Seen): Promise<unknown> =>
    client.connection.withDeadline(Date.now() + DEADLINE_MS, () =>
      client.workflow.signalWithStart(workflowType, {
        workflowId: entityWorkflowId(followed.kind, snapshot),
        taskQueue: TASK_QUEUE,
        args: [{ options }],
        signal: observed,
        signalArgs: [snapshot],
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        staticSummary: `${followed.kind} ${snapshot.name} in ${snapshot.namespace}`,
      }),
    );

  /** Somebody took the finalizer off, so the object went without its workflow having agreed. */
  const tellOrphan = async (key: string): Promise<boolean> => {
    const uid = orphans.get(key);
    if (uid === undefined) return false;
    try {
      await client.connection.withDeadline(Date.now() + DEADLINE_MS, () =>
        client.workflow.getHandle(entityWorkflowId(followed.kind, nameOf(key))).signal(vanished, { uid }),
      );
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
    orphans.delete(key);
    return true;
  };

  return {
    async tell(key) {
      const entry = own.get(key);
      if (entry === undefined) return tellOrphan(key);
      orphans.delete(key);
      if (ledger.get(entry.uid)?.letGo) return false;
      const snapshot = binding.observe(entry, stores);
      if (snapshot === undefined) return false;
      if (isUnreadable(snapshot)) {
        const problems = snapshot.problems.join('; ');
        if (complaints.get(entry.uid) !== problems) log.warn({ kind: followed.kind, key, problems }, 'can not be read');
        complaints.set(entry.uid, problems);
        return false;
      }
      const news = binding.essence(snapshot);
      if (same(told.get(entry.uid), news)) return false;
      await signalWithStart(snapshot);
      told.set(entry.uid, news);
      return true;
    },
    vanished(last) {
      const letGo = ledger.get(last.uid)?.letGo;
      told.delete(last.uid);
      complaints.delete(last.uid);
      ledger.delete(last.uid);
      if (!letGo) orphans.set(`${last.namespace}/${last.name}`, last.uid);
    },
    forgetAll: () => told.clear(),
  };
}
