import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { ANNOTATIONS, FINALIZERS } from '../api/baremetalhost/values.ts';
import { mergePatch } from '../kube/merge-patch.ts';
import { isOlderVersion } from '../kube/reflector.ts';
import { hostView, hostWorkflowId } from '../workflows/host/messages.ts';
import type { Written } from './ledger.ts';
import type { Publish } from './publish.ts';
import { isPaused, readConditions, readHost } from './resource.ts';
import type { Cluster, HostEntry } from './watch.ts';

export interface RepairDeps {
  readonly client: Client;
  readonly cluster: Pick<Cluster, 'host'>;
  readonly publish: Publish;
  readonly now: () => number;
}

const QUERY_DEADLINE_MS = 5_000;

/** Asks the workflow what the host should show and shows it; throws when there is no answer, and the CR stays as it is. */
export function createRepair({ client, cluster, publish, now }: RepairDeps): (key: string) => Promise<void> {
  return async (key) => {
    const entry = cluster.host(key);
    if (entry === undefined || isPaused(readHost(entry.object))) return;
    const askedAt = now();
    try {
      const view = await client.connection.withDeadline(Date.now() + QUERY_DEADLINE_MS, () =>
        client.workflow.getHandle(hostWorkflowId(entry)).query(hostView),
      );
      if (view?.uid === entry.uid) await publish(view, { kind: 'query', askedAt });
    } catch (error) {
      // Not started yet, or of a host that can't be read: there is nothing to show.
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  };
}

/** True when the host does not show what was written last, or shows less than could be shown. */
export function hasDrifted(entry: HostEntry, written: Written | undefined, hardwareVersion: string): boolean {
  if (written === undefined || isLetGo(written) || isOlderVersion(entry.resourceVersion, written.resourceVersion))
    return false;
  const host = readHost(entry.object);
  const { annotations = {}, finalizers = [], deletionTimestamp, generation } = host.metadata;
  const observed = readConditions(host.status).map((condition) => condition.observedGeneration ?? 0);
  return (
    mergePatch(host.status, written.status) !== undefined ||
    isOlderVersion(written.hardwareVersion, hardwareVersion) ||
    Math.max(0, ...observed) < generation ||
    annotations[ANNOTATIONS.hardwareDetails] !== undefined ||
    annotations[ANNOTATIONS.status] !== undefined ||
    (written.finalizer && deletionTimestamp === undefined && !finalizers.includes(FINALIZERS.host))
  );
}

const isLetGo = ({ finalizer }: Written): boolean => !finalizer;

/** True for a host with something to do, which is told before all others after a start. */
export function isPending(entry: HostEntry): boolean {
  const { metadata, status } = readHost(entry.object);
  const observed = readConditions(status).map((condition) => condition.observedGeneration ?? 0);
  return (
    metadata.deletionTimestamp !== undefined ||
    status['lastUpdated'] === undefined ||
    Math.max(0, ...observed) < metadata.generation
  );
}
