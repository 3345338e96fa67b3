import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Kube } from '../../../kube/client.ts';

const versioned = z.looseObject({ metadata: z.looseObject({ resourceVersion: z.string() }) });
const watchEvent = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK']), object: versioned }),
  z.object({ type: z.literal('ERROR') }),
]);

export interface Version {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: z.infer<typeof versioned>;
}

const AGAIN_MS = 250;

/**
 * Calls back for each object that exists and for every later version, until aborted. A server may end a watch at any
 * time, and a quiet one is ended by the client after five minutes: it continues where it ended. When the server does
 * not know that version any more, all existing objects come again.
 */
export async function followVersions(
  kube: Pick<Kube, 'lines'>,
  { path, query = {} }: { readonly path: string; readonly query?: Readonly<Record<string, string>> },
  onVersion: (version: Version) => void,
  signal: AbortSignal,
  onFailure: (error: unknown) => void = () => undefined,
): Promise<void> {
  let resourceVersion: string | undefined;
  while (!signal.aborted) {
    try {
      const watch = { ...query, watch: true, allowWatchBookmarks: true, resourceVersion };
      for await (const line of kube.lines({ path, query: watch, signal })) {
        const event = watchEvent.parse(JSON.parse(line));
        if (event.type === 'ERROR') {
          resourceVersion = undefined;
          break;
        }
        resourceVersion = event.object.metadata.resourceVersion;
        if (event.type !== 'BOOKMARK') onVersion({ type: event.type, object: event.object });
      }
    } catch (error) {
      onFailure(error);
    }
    await sleep(AGAIN_MS, undefined, { signal }).catch(() => undefined);
  }
}
