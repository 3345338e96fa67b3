import type { Client } from '@temporalio/client';
import { nameOf } from '../../kube/reflector.ts';
import { entityWorkflowId } from '../../workflows/messages.ts';
import type { Controller } from '../controller.ts';
import type { Signals } from '../signal/signals.ts';

/** Keys of running workflows whose object does not exist, or is another one. */
export async function* findStrays(
  client: Pick<Client, 'workflow'>,
  { binding, own }: Pick<Controller, 'binding' | 'own'>,
  watches: (namespace: string) => boolean,
): AsyncGenerator<string, void, undefined> {
  const prefix = entityWorkflowId(binding.followed.kind, { namespace: '', name: '' }).slice(0, -1);
  const query = `WorkflowType = '${binding.followed.workflow.type}' AND ExecutionStatus = 'Running'`;
  for await (const { workflowId } of client.workflow.list({ query })) {
    const key = workflowId.slice(prefix.length);
    if (!workflowId.startsWith(prefix) || !watches(nameOf(key).namespace)) continue;
    if (own.get(key) === undefined) yield key;
  }
}

/** Signals a workflow that its object does not exist. Only the workflow knows the uid of that object. */
export async function signalStray(
  signals: Pick<Signals, 'ask' | 'vanish'>,
  { binding, own }: Pick<Controller, 'binding' | 'own'>,
  key: string,
): Promise<void> {
  const object = nameOf(key);
  const answer = await signals.ask(binding, object);
  if (answer.kind !== 'view' || answer.view === undefined || own.get(key) !== undefined) return;
  await signals.vanish(binding, { ...object, uid: answer.view.uid });
}
