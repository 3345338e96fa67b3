import type { Kind } from '../api/kind.ts';
import { ALL_KINDS } from '../api/kinds.ts';
import { nameOf } from '../kube/reflector.ts';
import type { Stores } from '../kube/store.ts';
import { type Log, withFields } from '../platform/log.ts';
import { entityWorkflowId } from '../workflows/messages.ts';
import type { Ledger } from './ledger.ts';

/** Log fields of an object besides its name. */
interface Known {
  readonly uid?: string | undefined;
  /** The first of its workflow's runs. */
  readonly firstRunId?: string | undefined;
  /** The run that got the bridge's last signal. */
  readonly runId?: string | undefined;
}

/** The fields of a log line about an object, with the same keys as in the log of the workers. */
export function objectFields(
  kind: string,
  key: string,
  { uid, firstRunId, runId }: Known,
): Readonly<Record<string, string>> {
  const { namespace, name } = nameOf(key);
  return {
    objectNamespace: namespace,
    objectName: name,
    ...(uid && { objectUid: uid }),
    ...(FOLLOWED.get(kind)?.workflow && { workflowId: entityWorkflowId(kind, { namespace, name }) }),
    ...(firstRunId && { firstRunId }),
    ...(runId && { runId }),
  };
}

interface Sources {
  readonly stores: Pick<Stores, 'get'>;
  readonly ledger: Pick<Ledger, 'find'>;
}

/** The log of a bridge: a line with a `kind` and an `object` gets the object's uid, workflow and runs, where known. */
export const namingObjects = (log: Log, { stores, ledger }: Sources): Log =>
  withFields(log, ({ kind, object, objectUid }) => {
    if (typeof kind !== 'string' || typeof object !== 'string') return {};
    const followed = FOLLOWED.get(kind);
    const uid = typeof objectUid === 'string' ? objectUid : followed && stores.get(followed, object)?.uid;
    const { written, signalled } = (uid === undefined ? undefined : ledger.find(uid)) ?? {};
    return objectFields(kind, object, { uid, firstRunId: written?.run, runId: signalled?.runId });
  });

const FOLLOWED: ReadonlyMap<string, Kind> = new Map(ALL_KINDS.map((kind) => [kind.kind, kind]));
