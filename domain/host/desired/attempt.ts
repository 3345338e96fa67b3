import type { BareMetalHostSpec, OperationHistory } from '../../../api/baremetalhost/types.ts';

/** A memory, or a BareMetalHost that was just read. */
interface MaybeDeploying {
  readonly seen: { readonly uid: string; readonly spec: Pick<BareMetalHostSpec, 'consumerRef'> };
  readonly status: { readonly operationHistory?: OperationHistory | undefined };
}

/**
 * Names the attempt to deploy that the status shows: of which object, since when, and for which consumer. It stays the
 * same when the names of the Secrets with the data are changed. undefined: the status shows no attempt.
 */
export function attemptOf({ seen: { uid, spec }, status }: MaybeDeploying): string | undefined {
  const { start, end } = status.operationHistory?.provision ?? {};
  if (!start || end) return undefined;
  const { namespace = '', name = '' } = spec.consumerRef ?? {};
  return `${uid} ${start} ${namespace}/${name}`;
}
