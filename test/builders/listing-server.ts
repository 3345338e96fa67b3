import { createServer } from 'node:http';
import type { Kube } from '../../kube/client.ts';
import { type FollowedKind, KINDS } from '../../kube/kinds.ts';
import { collectionPath } from '../../kube/paths.ts';
import { discoveryOf } from './api-discovery.ts';
import { kubeOf } from './kube-of.ts';

/** An API server that lists objects of all namespaces in pages. It knows the kinds of the lists alone. */
export interface ListingServer {
  readonly kube: Kube;
  /** The lists that were asked for: the plural, and ` of metadata`, ` page 2`. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

interface Listing {
  readonly kind: FollowedKind;
  readonly objects: readonly object[];
  /** Why it may not be listed. */
  readonly refusal?: string;
}

export async function listingServer(
  lists: readonly Listing[],
  { pageSize = 2 }: { readonly pageSize?: number } = {},
): Promise<ListingServer> {
  const asked: string[] = [];
  const answers = discoveryOf(lists.map(({ kind }) => kind));
  const server = createServer(({ url = '', headers }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://server');
    const answer = (status: number, body: object): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const found = lists.find(({ kind }) => collectionPath(kind, undefined) === pathname);
    const known = answers[pathname];
    if (known !== undefined) return answer(200, known);
    if (found === undefined) return answer(404, { message: `${pathname} not found` });
    if (found.refusal !== undefined)
      return answer(403, { kind: 'Status', reason: 'Forbidden', message: found.refusal });
    const at = Number(searchParams.get('continue') ?? 0);
    const isMetadata = headers.accept?.includes('PartialObjectMetadataList') === true;
    asked.push(
      `${found.kind.plural}${isMetadata ? ' of metadata' : ''}${at === 0 ? '' : ` page ${at / pageSize + 1}`}`,
    );
    const next = at + pageSize;
    const metadata = { resourceVersion: '1', ...(next < found.objects.length && { continue: String(next) }) };
    answer(200, { metadata, items: found.objects.slice(at, next) });
  });
  const kube = await kubeOf(server);
  return {
    kube,
    asked,
    async close() {
      await kube.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The lists of a cluster without hosts and machines. */
export const NO_LISTS: readonly Listing[] = [
  { kind: KINDS.host, objects: [] },
  { kind: KINDS.hardwareData, objects: [] },
  { kind: KINDS.metal3Machine, objects: [] },
];
