import { type Client, isGrpcServiceError } from '@temporalio/client';
import proto from '@temporalio/proto';
import { SEARCH_ATTRIBUTES, TEMPER_STATE } from '../../workflows/search-attributes.ts';

const { INDEXED_VALUE_TYPE_KEYWORD, INDEXED_VALUE_TYPE_DATETIME } = proto.temporal.api.enums.v1.IndexedValueType;
const TYPES = { Keyword: INDEXED_VALUE_TYPE_KEYWORD, Datetime: INDEXED_VALUE_TYPE_DATETIME } as const;

/** gRPC status codes of a final refusal. A server that is busy or does not answer has other codes. */
const REFUSED: readonly number[] = [
  3, // INVALID_ARGUMENT
  7, // PERMISSION_DENIED
  9, // FAILED_PRECONDITION
  12, // UNIMPLEMENTED
  16, // UNAUTHENTICATED
];

/**
 * The search attributes by which runs can be listed: all, the state alone, or none. A run that set a missing attribute
 * would fail its tasks.
 */
export type ListingSupport =
  | { readonly kind: 'on' }
  | { readonly kind: 'by state'; readonly reason: string; readonly missing: readonly string[] }
  | { readonly kind: 'off'; readonly reason: string; readonly missing: readonly string[] };

/** Registers the search attributes that are missing. Throws when Temporal does not answer. */
export async function prepareListing(client: Client): Promise<ListingSupport> {
  const names = Object.keys(SEARCH_ATTRIBUTES) as (keyof typeof SEARCH_ATTRIBUTES)[];
  if (await areRegistered(client, names)) return { kind: 'on' };
  const missing: typeof names = [];
  for (const name of names) if (!(await areRegistered(client, [name]))) missing.push(name);
  const { connection, options } = client;
  try {
    await connection.operatorService.addSearchAttributes({
      namespace: options.namespace,
      searchAttributes: Object.fromEntries(missing.map((name) => [name, TYPES[SEARCH_ATTRIBUTES[name]]])),
    });
    return { kind: 'on' };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const kind = missing.includes(TEMPER_STATE.name as 'TemperState') ? 'off' : 'by state';
    return { kind, reason: error.details, missing };
  }
}

/** Asks with a query, because many servers (Temporal Cloud) tell no client which attributes are registered. */
async function areRegistered({ workflowService, options }: Client, names: readonly string[]): Promise<boolean> {
  try {
    const query = names.map((name) => `${name} IS NOT NULL`).join(' AND ');
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
