import { DefaultFailureConverter } from '@temporalio/common';

/**
 * Messages and call stacks of failures become payloads, which the codec encrypts. For activities and clients;
 * `workflows/failure-converter.ts` is the one of workflows.
 */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
