import type { SignalDefinition } from '@temporalio/common';
import { getExternalWorkflowHandle, TemporalFailure } from '@temporalio/workflow';

/** Signals another workflow; false when it does not run. */
export async function isSignalled<Message>(
  workflowId: string,
  signal: SignalDefinition<[Message]>,
  message: Message,
): Promise<boolean> {
  try {
    await getExternalWorkflowHandle(workflowId).signal(signal, message);
    return true;
  } catch (error) {
    if (!(error instanceof TemporalFailure)) throw error;
    return false;
  }
}
