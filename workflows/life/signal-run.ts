import type { SignalDefinition } from '@temporalio/common';
import { getExternalWorkflowHandle, TemporalFailure } from '@temporalio/workflow';

/** Signals another workflow; false when it does not run. */
export const isSignalled = <Message>(
  workflowId: string,
  signal: SignalDefinition<[Message]>,
  message: Message,
): Promise<boolean> => unlessEnded(getExternalWorkflowHandle(workflowId).signal(signal, message));

/** False when the run has ended, to which this was sent. */
export async function unlessEnded(sending: Promise<void>): Promise<boolean> {
  try {
    await sending;
    return true;
  } catch (error) {
    if (!(error instanceof TemporalFailure)) throw error;
    return false;
  }
}
