import { DefaultFailureConverter } from '@temporalio/common';

/**
 * Where payloads are encrypted, `workers/bundle.ts` writes `encoded` into the bundle: workflows have no configuration.
 */
const FAILURES: string = 'temper-failures-plain';

/**
 * Messages and call stacks of failures become payloads where these are encrypted. Elsewhere they stay readable in the
 * Web UI, which would show "Encoded failure" otherwise.
 */
export const failureConverter = new DefaultFailureConverter({
  encodeCommonAttributes: FAILURES === 'temper-failures-encoded',
});
