import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { StuckObservation } from '../../domain/usual-times/stuck.ts';
import type { Entry } from '../../kube/store.ts';
import { hostWorkflowId, stuckObserved } from '../../workflows/messages.ts';

const DEADLINE_MS = 10_000;

/** Signals a stuck host to its run, for lists of runs. Throws when Temporal does not answer. */
export const signalStuck =
  (client: Client) =>
  async (host: Entry, observation: StuckObservation): Promise<void> => {
    const handle = client.workflow.getHandle(hostWorkflowId(host));
    await client.connection
      .withDeadline(Date.now() + DEADLINE_MS, () => handle.signal(stuckObserved, observation))
      .catch((error: unknown) => {
        // Other sweeps start the run of a host that has none; it is listed when the next state is.
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      });
  };
