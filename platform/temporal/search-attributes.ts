import { type Client, isGrpcServiceError } from '@temporalio/client';
import { TEMPER_STATE } from '../../workflows/search-attributes.ts';

const KEYWORD = 2;

/** Status codes of gRPC with which a server refuses for good, other than by being busy or away. */
const REFUSED: readonly number[] = [
  3, // INVALID_ARGUMENT
  7, // PERMISSION_DENIED
  9, // FAILED_PRECONDITION
  12, // UNIMPLEMENTED
  16, // UNAUTHENTICATED
];

/** Whether runs can be listed by their state. A run that set an attribute that is missing would fail its tasks. */
export type Listing = { readonly kind: 'on' } | { readonly kind: 'off'; readonly reason: string };

/** Registers the search attribute if it is missing. Throws when Temporal does not answer. */
export async function prepareListing(client: Client): Promise<Listing> {
  if (await isRegistered(client)) return { kind: 'on' };
  const { connection, options } = client;
  try {
    await connection.operatorService.addSearchAttributes({
      namespace: options.namespace,
      searchAttributes: { [TEMPER_STATE.name]: KEYWORD },
    });
    return { kind: 'on' };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { kind: 'off', reason: error.details };
  }
}

/** Asks with a query, because many servers (Temporal Cloud) tell no client which attributes are registered. */
async function isRegistered({ workflowService, options }: Client): Promise<boolean> {
  try {
    const query = `${TEMPER_STATE.name} = "provisioned"`;
    await workflowService.countWorkflowExecutions({ namespace: options.namespace, query });
    return true;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return false;
  }
}

function isRefusal(error: unknown): error is Error & { readonly details: string } {
  return isGrpcServiceError(error) && REFUSED.includes(error.code);
}
