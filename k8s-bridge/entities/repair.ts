import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { mergePatch } from '../../kube/merge-patch.ts';
import { isOlderVersion } from '../../kube/reflector.ts';
import { entityWorkflowId, view } from '../../workflows/entity/messages.ts';
import type { Binding, Entry } from './binding.ts';
import type { OwnObjects } from './looked-after.ts';
import { readObject } from './object.ts';
import type { PublishEntity, WrittenEntity } from './write.ts';

export interface RepairDeps {
  readonly client: Client;
  readonly own: OwnObjects;
  readonly publish: PublishEntity;
  readonly now: () => number;
}

const QUERY_DEADLINE_MS = 5_000;

/** Asks the workflow what the object should show and shows it; throws when there is no answer, and the object stays as it is. */
export function createRepair({ followed }: Binding, { client, own, publish, now }: RepairDeps) {
  return async (key: string): Promise<void> => {
    const entry = own.get(key);
    if (entry === undefined) return;
    const askedAt = now();
    try {
      const answer = await client.connection.withDeadline(Date.now() + QUERY_DEADLINE_MS, () =>
        client.workflow.getHandle(entityWorkflowId(followed.kind, entry)).query(view),
      );
      if (answer?.uid === entry.uid) await publish(answer, { kind: 'query', askedAt });
    } catch (error) {
      // Not started yet, or of an object that can't be read: there is nothing to show.
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  };
}

/** True when the object does not show what was written last. */
export function hasDrifted(entry: Entry, written: WrittenEntity | undefined, finalizer: string): boolean {
  if (written === undefined || written.letGo) return false;
  if (isOlderVersion(entry.resourceVersion, written.resourceVersion)) return false;
  const { metadata, status } = readObject(entry.object);
  return (
    mergePatch(status, written.status) !== undefined ||
    (written.held && metadata.deletionTimestamp === undefined && !metadata.finalizers.includes(finalizer))
  );
}
