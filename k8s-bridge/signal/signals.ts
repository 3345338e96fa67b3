import { type Client, QueryRejectedError, WorkflowClient, WorkflowNotFoundError } from '@temporalio/client';
import type { Observation } from '../../domain/entity/seen.ts';
import type { EntityView } from '../../domain/entity/view.ts';
import type { Named } from '../../kube/paths.ts';
import {
  type EntityOptions,
  entityWorkflowId,
  observed,
  TASK_QUEUE,
  taskTimeoutOf,
  vanished,
  view,
} from '../../workflows/messages.ts';
import { firstAttributes } from '../../workflows/search-attributes.ts';
import type { Binding } from '../binding.ts';
import type { RunOptions } from './run-options.ts';

/** Answer to the query; `closed`: the last run has ended; `none`: there is no workflow. */
export type ViewAnswer =
  | { readonly kind: 'view'; readonly view: EntityView | undefined }
  | { readonly kind: 'closed' }
  | { readonly kind: 'none' };

/** The signals and the query that the bridge sends to workflows of objects. */
export interface Signals {
  /** Starts the workflow if none runs. Returns the id of the run that got the signal. */
  observe(binding: Binding, observation: Observation): Promise<string>;
  /** False when no workflow runs. */
  vanish(binding: Binding, object: Named & { readonly uid: string }): Promise<boolean>;
  /** Queries the view; throws when the workers do not answer in time. */
  ask(binding: Binding, object: Named): Promise<ViewAnswer>;
}

const SIGNAL_MS = 10_000;
const QUERY_MS = 5_000;

export function createSignals(client: Client, begin: RunOptions['current']): Signals {
  const asking = new WorkflowClient({
    connection: client.connection,
    namespace: client.options.namespace,
    dataConverter: client.options.loadedDataConverter,
    // Otherwise a closed run would answer from its history.
    queryRejectCondition: 'NOT_OPEN',
  });
  const within = <T>(ms: number, call: () => Promise<T>): Promise<T> =>
    client.connection.withDeadline(Date.now() + ms, call);
  const idOf = ({ followed }: Binding, object: Named): string => entityWorkflowId(followed.kind, object);

  return {
    async observe(binding, observation) {
      const { followed } = binding;
      const { namespace, name } = observation.snapshot;
      const { options, isListed } = await within(SIGNAL_MS, begin);
      const args: [{ readonly options: EntityOptions }] = [{ options }];
      const { signaledRunId } = await within(SIGNAL_MS, () =>
        client.workflow.signalWithStart(followed.workflow.type, {
          workflowId: idOf(binding, observation.snapshot),
          taskQueue: TASK_QUEUE,
          workflowTaskTimeout: taskTimeoutOf(followed.workflow),
          args,
          signal: observed,
          signalArgs: [observation],
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          staticSummary: `${followed.kind} ${name} in ${namespace}`,
          ...(isListed && { typedSearchAttributes: firstAttributes(followed, namespace) }),
        }),
      );
      return signaledRunId;
    },
    async vanish(binding, object) {
      try {
        await within(SIGNAL_MS, () =>
          client.workflow.getHandle(idOf(binding, object)).signal(vanished, { uid: object.uid }),
        );
        return true;
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return false;
        throw error;
      }
    },
    async ask(binding, object) {
      try {
        const answer = await within(QUERY_MS, () => asking.getHandle(idOf(binding, object)).query(view));
        return { kind: 'view', view: answer };
      } catch (error) {
        if (error instanceof QueryRejectedError) return { kind: 'closed' };
        if (error instanceof WorkflowNotFoundError) return { kind: 'none' };
        throw error;
      }
    },
  };
}
