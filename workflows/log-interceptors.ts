import type { WorkflowInterceptors } from '@temporalio/workflow';

/**
 * Adds the uid of the host to what Temporal's SDK logs about the run of an operation, for example that it failed.
 * Namespace and name are in the id of the run.
 */
export const interceptors = (): WorkflowInterceptors => {
  let objectUid: string | undefined;
  return {
    inbound: [
      {
        execute(input, next) {
          objectUid = uidIn(input.args[0]);
          return next(input);
        },
      },
    ],
    outbound: [
      {
        getLogAttributes: (input, next) => next({ ...input, ...(objectUid !== undefined && { objectUid }) }),
      },
    ],
  };
};

/** Anybody may start an operation with any input, so its type is unknown. */
function uidIn(order: unknown): string | undefined {
  const { host } = (order ?? {}) as { readonly host?: { readonly uid?: unknown } | null };
  const uid = host?.uid;
  return typeof uid === 'string' ? uid : undefined;
}
