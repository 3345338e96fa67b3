import type { HostData } from '../../activities/host-data.ts';
import {
  createIronicOperations,
  type IronicActivities,
  type NodeOperations,
} from '../../activities/ironic/activities.ts';
import { ironicClientOf } from '../../activities/ironic/client/client.ts';
import { fixedSource } from '../../activities/ironic/client/connection-source.ts';
import { createNodePoller } from '../../activities/ironic/poll/poller.ts';
import { DEFAULT_IRONIC_SETTINGS, type IronicSettings } from '../../activities/ironic/settings.ts';
import { asActivities, aWillingObject, type WillingObject } from './permits.ts';
import { type Answer, type ScriptedIronic, scriptIronic } from './scripted-ironic.ts';
import { aSecretText } from './secret-text.ts';

/** For tests: the activities with a fake server, for cases without drivers in the lab's Ironic. */
export interface ScriptedActivities {
  readonly ironic: ScriptedIronic;
  readonly activities: IronicActivities;
  /** The operations behind them, for objects that have to be read. */
  readonly operations: NodeOperations;
  /** The requests without queries: `METHOD /path` and the body. */
  asked(): readonly (readonly [string, unknown])[];
  /** Operations that wait for their turn. */
  readonly waiting: () => number;
  close(): Promise<void>;
}

export interface ScriptOptions {
  readonly pausesMs?: readonly number[];
  readonly concurrentChanges?: number;
  /** That of the running activity. */
  readonly signal?: AbortSignal;
  /** Called with each request, before it is answered. */
  readonly onRequest?: (request: string) => void;
  /** Called when an operation gets its place. */
  readonly onPlace?: () => void;
}

export async function scriptActivities(
  answers: readonly (Answer | (() => Answer))[],
  settings: Partial<IronicSettings> = {},
  hostData: Partial<HostData> = {},
  attempt = 1,
  of: () => WillingObject = () => aWillingObject(),
  { signal = new AbortController().signal, onRequest, onPlace, ...connection }: ScriptOptions = {},
): Promise<ScriptedActivities> {
  const ironic = await scriptIronic(...answers);
  if (onRequest !== undefined) ironic.onRequest = onRequest;
  const details = { endpoint: ironic.endpoint, pausesMs: [], ...connection };
  const client = ironicClientOf(await fixedSource(details), details, onPlace && { onPlace });
  const log = { info: (): void => {}, warn: (): void => {} };
  const poller = createNodePoller({ listNodes: (signal) => client.listNodes(signal), intervalMs: 10, log });
  const operations = createIronicOperations({
    ironic: client,
    poller,
    hostData: {
      bmcCredentials: () => Promise.resolve({ kind: 'ok', username: 'admin', password: 'secret', version: '1' }),
      hostData: () => Promise.resolve(undefined),
      claimedNetworkData: () => Promise.resolve(aSecretText('links: []')),
      registryLogin: () => Promise.resolve({ kind: 'ok', login: 'me:secret' }),
      openedImage: (_, image) => Promise.resolve(image),
      openedUrl: (_, url) => Promise.resolve(url),
      secretsOf: () => Promise.resolve([]),
      saveHardware: () => Promise.resolve(),
      readHardware: () => Promise.resolve(undefined),
      ...hostData,
    },
    settings: { ...DEFAULT_IRONIC_SETTINGS, defaultArchitecture: 'x86_64', ...settings },
    log,
    tell: () => Promise.resolve(),
    call: () => ({ attempt, askedAt: 0, waitedMs: 0, signal, workflowId: '', show: () => {} }),
  });
  return {
    ironic,
    operations,
    activities: asActivities(operations, of),
    asked: () =>
      ironic.requests.map((request, index) => {
        const body = ironic.bodies[index] ?? '';
        return [request.replace(/\?.*/, ''), body === '' ? undefined : (JSON.parse(body) as unknown)] as const;
      }),
    waiting: () => client.places.waiting,
    async close() {
      poller.close();
      await Promise.all([client.close(), ironic.close()]);
    },
  };
}
