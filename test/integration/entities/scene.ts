import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ApplicationFailure, Context } from '@temporalio/activity';
import { Client } from '@temporalio/client';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import { pino } from 'pino';
import { z } from 'zod';
import type { Binding } from '../../../k8s-bridge/binding.ts';
import { createCore } from '../../../k8s-bridge/core.ts';
import { createRestore } from '../../../k8s-bridge/lease/restore.ts';
import { createLedger } from '../../../k8s-bridge/ledger.ts';
import { createQueues } from '../../../k8s-bridge/watch/queues.ts';
import { connectKube } from '../../../kube/client.ts';
import type { FollowedKind } from '../../../kube/kinds.ts';
import { collectionPath, eventCollection, objectPath } from '../../../kube/paths.ts';
import { keyOf } from '../../../kube/reflector.ts';
import { createStore } from '../../../kube/store.ts';
import { METRICS_OF } from '../../../platform/metrics/definitions.ts';
import { createMetrics } from '../../../platform/metrics/registry.ts';
import { connectTemporal } from '../../../platform/temporal/connection.ts';
import { BRIDGE_TASK_QUEUE, STALE, TASK_QUEUE } from '../../../workflows/messages.ts';
import { serveKinds } from '../../builders/throw-away-kinds.ts';
import type { SharedControlPlane } from '../control-plane.ts';
import type { WidgetSeen } from './widget.ts';
import type { WidgetActivities } from './widget-workflow.ts';

/** A group of its own for each scene, so that its CRDs are not installed before the scene installs them. */
export const kindsOf = (group: string) => ({
  widgets: { kind: 'Widget', apiVersion: `${group}/v1`, plural: 'widgets' },
  palettes: { kind: 'Palette', apiVersion: `${group}/v1`, plural: 'palettes' },
});

const widgetObject = z.object({
  metadata: z.object({
    namespace: z.string(),
    name: z.string(),
    uid: z.string(),
    resourceVersion: z.string(),
    generation: z.number(),
    creationTimestamp: z.string(),
    deletionTimestamp: z.string().optional(),
  }),
  spec: z.object({ colour: z.string(), palette: z.string() }),
});
const paletteObject = z.object({ colours: z.array(z.string()) });

function bindingOf({ widgets, palettes }: ReturnType<typeof kindsOf>): Binding {
  return {
    followed: { ...widgets, workflow: { type: 'widgetWorkflow', controller: 'machines' } },
    finalizer: 'widget.example.temper',
    related: [palettes],
    unreadableReason: 'InvalidWidget',
    reporterOf: () => ({ component: 'widgets', controller: 'widgets' }),
    *concerned(_kind, palette, stores) {
      for (const entry of stores.values(widgets)) {
        const read = widgetObject.safeParse(entry.object);
        if (read.success && read.data.spec.palette === palette.name) yield keyOf(entry);
      }
    },
    observe(entry, stores): WidgetSeen | { problems: string[] } {
      const read = widgetObject.safeParse(entry.object);
      if (!read.success) return { problems: read.error.issues.map(({ message }) => message) };
      const { metadata, spec } = read.data;
      const { deletionTimestamp, ...rest } = metadata;
      const found = stores.get(palettes, keyOf({ namespace: metadata.namespace, name: spec.palette }));
      const palette = paletteObject.safeParse(found?.object);
      return {
        ...rest,
        ...(deletionTimestamp !== undefined && { deletionTimestamp }),
        colour: spec.colour,
        ...(palette.success && { palette: palette.data.colours }),
      };
    },
    essence: (seen) => ({ ...seen, resourceVersion: '' }),
  };
}

const bundle = bundleWorkflowCode({ workflowsPath: fileURLToPath(new URL('./widget-workflow.ts', import.meta.url)) });

/** A namespace, a group of kinds that is not installed yet, and entities for it. */
export async function openScene({ kubeconfig, temporalAddress, temporalNamespace }: SharedControlPlane) {
  const kube = connectKube(kubeconfig);
  const suffix = randomBytes(4).toString('hex');
  const namespace = `entities-${suffix}`;
  const kinds = kindsOf(`${suffix}.example.temper`);
  await kube.request({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: namespace } } });
  const client = new Client({
    connection: await connectTemporal({ address: temporalAddress }),
    namespace: temporalNamespace,
  });
  const connection = await NativeConnection.connect({ address: temporalAddress });
  const done: string[] = [];
  const activities: WidgetActivities = {
    async paint(colour) {
      if (colour === 'octarine') throw ApplicationFailure.nonRetryable('nobody can paint octarine');
      const { cancellationSignal, heartbeat } = Context.current();
      // Painting with glaze or varnish only ends when it is no longer wanted; with varnish because the object says so.
      if (colour === 'varnish') done.push('begin to varnish');
      while (colour === 'glaze' || colour === 'varnish') {
        heartbeat();
        if (cancellationSignal.aborted && colour === 'varnish')
          throw ApplicationFailure.create({ type: STALE, nonRetryable: true, message: 'nobody wants varnish' });
        if (cancellationSignal.aborted) throw cancellationSignal.reason;
        await setTimeout(200);
      }
      done.push(`paint ${colour}`);
      return colour;
    },
    async wash() {
      done.push('wash');
      return '';
    },
  };
  const worker = await Worker.create({
    connection,
    namespace: temporalNamespace,
    taskQueue: TASK_QUEUE,
    workflowBundle: await bundle,
    activities,
  });
  const working = worker.run();

  const begin = async (watchFilter = '') => {
    const log = pino({ level: process.env['LOG_LEVEL'] ?? 'silent' });
    const metrics = createMetrics(METRICS_OF.bridge);
    const queues = createQueues({ kinds: ['Widget'], concurrency: 4, log, metrics });
    const entities = createCore({
      kube,
      client,
      temporalCommand: 'temporal',
      store: createStore(),
      ledger: createLedger(),
      queues,
      bindings: [bindingOf(kinds)],
      namespaces: [namespace],
      watchFilter,
      options: async () => ({ options: {}, isListed: false }),
      restore: createRestore(),
      outage: () => undefined,
      beside: {
        received: () => undefined,
        stored: (_, entry) => entry,
        why: () => undefined,
        look: async () => undefined,
      },
      onWritten: () => undefined,
      log,
      metrics,
    });
    const stopping = new AbortController();
    const running = entities.run(stopping.signal);
    const publisher = await Worker.create({
      connection,
      namespace: temporalNamespace,
      taskQueue: BRIDGE_TASK_QUEUE,
      activities: { ...entities.activities },
    });
    const publishing = publisher.run();
    return async () => {
      stopping.abort();
      await running;
      await entities.stop();
      publisher.shutdown();
      await publishing;
    };
  };
  let stop = await begin();

  const crdPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  return {
    kube,
    client,
    namespace,
    kinds,
    done,
    install: () => serveKinds(kube, [kinds.widgets, kinds.palettes]),
    create: (
      kind: FollowedKind,
      name: string,
      body: { readonly metadata?: object; readonly [field: string]: unknown },
    ) =>
      kube.request({
        method: 'POST',
        path: collectionPath(kind, namespace),
        body: {
          apiVersion: kind.apiVersion,
          kind: kind.kind,
          ...body,
          metadata: { ...body.metadata, name, namespace },
        },
      }),
    read: (name: string) => kube.find(objectPath(kinds.widgets, { namespace, name })),
    async eventsOf(name: string): Promise<readonly unknown[]> {
      const query = { fieldSelector: `involvedObject.name=${name}` };
      const answer = (await kube.request({ path: eventCollection(namespace), query })) as { items: unknown[] };
      return answer.items;
    },
    path: (name: string) => objectPath(kinds.widgets, { namespace, name }),
    /** Ends the watches and forgets all state. */
    async leave() {
      await stop();
    },
    async comeBack(watchFilter?: string) {
      stop = await begin(watchFilter);
    },
    async end() {
      await stop();
      worker.shutdown();
      await working;
      await connection.close();
      await client.connection.close();
      for (const { plural } of [kinds.widgets, kinds.palettes])
        await kube
          .request({ method: 'DELETE', path: `${crdPath}/${plural}.${suffix}.example.temper` })
          .catch(() => undefined);
      await kube.close();
    },
  };
}
