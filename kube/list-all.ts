import { z } from 'zod';
import type { Kube } from './client.ts';

const PAGE_SIZE = 500;
/** A list without items may have null. */
const page = z.object({
  metadata: z.object({ continue: z.string().optional() }),
  items: z.array(z.unknown()).nullish(),
});

interface ListOptions {
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly accept?: string;
  readonly signal?: AbortSignal;
}

/** All objects of a collection. */
export async function listAll(...asked: Parameters<typeof eachListed>): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  for await (const object of eachListed(...asked)) all.push(object);
  return all;
}

/** The same, page by page. */
export async function* eachListed(
  kube: Pick<Kube, 'request'>,
  path: string,
  { labelSelector, fieldSelector, accept, signal }: ListOptions = {},
): AsyncGenerator<unknown> {
  let next: string | undefined;
  do {
    const query = { labelSelector, fieldSelector, limit: PAGE_SIZE, continue: next };
    const answer = await kube.request({ path, query, ...(accept && { accept }), ...(signal && { signal }) });
    const { items, metadata } = page.parse(answer);
    yield* items ?? [];
    next = metadata.continue || undefined;
  } while (next !== undefined);
}
