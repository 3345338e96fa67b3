import type { Client } from '@temporalio/client';
import { TEMPER_STATE } from '../../workflows/search-attributes.ts';

const KEYWORD = 2;

/** Registers the search attributes in the namespace; existing ones are left unchanged. */
export async function registerSearchAttributes({ connection, options }: Client): Promise<void> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: options.namespace });
  if (TEMPER_STATE.name in (customAttributes ?? {})) return;
  await connection.operatorService.addSearchAttributes({
    namespace: options.namespace,
    searchAttributes: { [TEMPER_STATE.name]: KEYWORD },
  });
}
