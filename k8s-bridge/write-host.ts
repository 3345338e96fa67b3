import { ANNOTATIONS, FINALIZERS } from '../api/baremetalhost/values.ts';
import { hostConditions } from '../domain/host/report/conditions.ts';
import type { HostEvent, HostView } from '../domain/host/report/view.ts';
import { type Kube, KubeError } from '../kube/client.ts';
import { type Json, mergePatch } from '../kube/merge-patch.ts';
import { hardwareDataPath, hostPath } from '../kube/paths.ts';
import type { Log } from '../platform/log.ts';
import { recordEvent } from './events.ts';
import { failCountWritten } from './fail-count.ts';
import { type HardwareShown, shownHardware } from './hardware.ts';
import type { Ledger } from './ledger.ts';
import type { HostTally } from './metrics/host-tally.ts';
import {
  isPaused,
  type PublishedHost,
  readConditions,
  readHost,
  readStoredHardware,
  type StoredHardware,
} from './resource.ts';

export interface WriteDeps {
  readonly kube: Kube;
  readonly ledger: Ledger;
  readonly log: Log;
  readonly tally: HostTally;
  readonly now: () => number;
}

export type WriteAnswer =
  | { readonly kind: 'written' }
  /** The name belongs to another host by now. */
  | { readonly kind: 'another' }
  | { readonly kind: 'gone' };

/**
 * Reads a BareMetalHost and changes what differs from the view, in the order that leaves no gap: finalizer, status,
 * annotations, Events, and the finalizer off at last. Throws a conflict when somebody changed it in between.
 */
export function createWriteHost({
  kube,
  ledger,
  log,
  tally,
  now,
}: WriteDeps): (view: HostView) => Promise<WriteAnswer> {
  /** Finalizer, annotations acted upon and the architecture: all that is not status, before it. */
  const patchObject = async (host: PublishedHost, view: HostView, stored: StoredHardware | undefined) => {
    const { metadata, spec } = host;
    const finalizers = metadata.finalizers ?? [];
    const holds = finalizers.includes(FINALIZERS.host);
    const isDeleting = metadata.deletionTimestamp !== undefined;
    const consumed = view.consumedAnnotations.filter((key) => metadata.annotations?.[key] !== undefined);
    const architecture = architectureOf(stored);
    const patch = {
      ...(view.finalizer && !holds && !isDeleting && { finalizers: [...finalizers, FINALIZERS.host] }),
      ...(consumed.length > 0 && { annotations: without(consumed) }),
    };
    const specPatch = !spec.architecture && architecture !== '' && !isDeleting ? { spec: { architecture } } : {};
    if (Object.keys(patch).length + Object.keys(specPatch).length === 0) return host;
    return change(host, { metadata: patch, ...specPatch });
  };

  const patchStatus = async (host: PublishedHost, view: HostView, { hardware }: HardwareShown) => {
    // A host that has entered no state and tells of no hardware has nothing to show: a paused one may stay so for long.
    const isBlank = view.status.provisioning.state === '' && hardware === undefined;
    if (isBlank && host.status['lastUpdated'] === undefined) return host;
    // Booked first, so that it is not taken for somebody else's when it is seen.
    const before = ledger.get(view.uid);
    if (before !== undefined) ledger.set(view.uid, { ...before, coming: view.status.provisioningFailCount });
    const wanted = { ...wantedStatus(host, view, hardware, now()), provisioningFailCount: failCountOf(host, view) };
    const patch = mergePatch(withoutTime(host.status), wanted);
    if (patch === undefined && host.status['lastUpdated'] !== undefined) return host;
    const lastUpdated = new Date(now()).toISOString().replace(/\.\d+Z$/, 'Z');
    return change(host, { status: { ...patch, lastUpdated } }, '/status');
  };

  /** A count that somebody else has written stays until the workflow has heard of it. */
  const failCountOf = ({ status, metadata }: PublishedHost, view: HostView): number => {
    const { resourceVersion } = metadata;
    const written = ledger.get(view.uid);
    const ours = view.status.provisioningFailCount;
    return ours === written?.failCount ? (failCountWritten({ status, resourceVersion }, written) ?? ours) : ours;
  };

  /** What an annotation told is in the status by now. */
  const patchSpentAnnotations = async (host: PublishedHost, { problem }: HardwareShown) => {
    // Whoever pauses a host to move it has put the status there for the cluster it goes to.
    if (isPaused(host)) return host;
    const spent = [ANNOTATIONS.status, ...(problem === undefined ? [ANNOTATIONS.hardwareDetails] : [])].filter(
      (key) => host.metadata.annotations?.[key] !== undefined,
    );
    return spent.length === 0 ? host : change(host, { metadata: { annotations: without(spent) } });
  };

  /** Every patch names the version it was made from, so that it hits the very object that was read. */
  const change = async (host: PublishedHost, patch: Json, subresource = ''): Promise<PublishedHost> => {
    const metadata = { ...(patch['metadata'] as object | undefined), resourceVersion: host.metadata.resourceVersion };
    return readHost(await kube.patch(`${hostPath(host.metadata)}${subresource}`, { ...patch, metadata }));
  };

  const tell = async (
    host: PublishedHost,
    view: HostView,
    events: readonly HostEvent[],
    type: 'Normal' | 'Warning',
  ) => {
    const { consumerRef } = host.spec;
    for (const event of events) {
      const order = {
        host: view,
        run: view.run,
        event,
        type: event.warning ? 'Warning' : type,
        now: now(),
        ...(consumerRef !== undefined && { consumer: consumerRef }),
      };
      const isNew = await recordEvent(kube, order).catch((error: unknown) => {
        // An Event that is refused (a namespace on its way out, say) will be refused again; the status matters more.
        if (!(error instanceof KubeError) || error.status === 0 || error.status >= 500) throw error;
        log.warn({ host: keyFor(view), event: event.reason, err: error }, 'event was refused');
        return true;
      });
      if (isNew) tally.told(view, event);
    }
  };

  const write = async (view: HostView): Promise<WriteAnswer> => {
    const [found, foundHardware] = await Promise.all([kube.find(hostPath(view)), kube.find(hardwareDataPath(view))]);
    if (found === undefined) return { kind: 'gone' };
    let host = readHost(found);
    if (host.metadata.uid !== view.uid) return { kind: 'another' };
    const stored = readStoredHardware(foundHardware);
    const hardware = shownHardware(host, view, stored);

    host = await patchObject(host, view, stored);
    const before = host;
    host = await patchStatus(host, view, hardware);
    // At once: what fails from here on is done again, and finds no change of the status then.
    tally.shown(before, view);
    const isTold = host.metadata.annotations?.[ANNOTATIONS.hardwareDetails] !== undefined;
    host = await patchSpentAnnotations(host, hardware);
    const isIgnored =
      isTold && !hardware.updated && host.metadata.annotations?.[ANNOTATIONS.hardwareDetails] === undefined;
    const news = [...(hardware.updated ? [hardwareEvent(host)] : []), ...(isIgnored ? [ignoredEvent(host)] : [])];
    await tell(host, view, [...view.events, ...news], 'Normal');
    if (hardware.problem !== undefined) await tell(host, view, [problemEvent(host, hardware.problem)], 'Warning');
    // Before the host can vanish, so that its end is known to be our doing.
    ledger.set(view.uid, {
      run: view.run,
      revision: view.revision,
      at: now(),
      resourceVersion: host.metadata.resourceVersion,
      hardwareVersion: stored?.metadata.resourceVersion ?? '',
      status: host.status,
      finalizer: view.finalizer,
      failCount: view.status.provisioningFailCount,
      ...(view.media !== undefined && { media: view.media }),
    });
    if (!view.finalizer && host.metadata.deletionTimestamp !== undefined) await letGo(host);
    return { kind: 'written' };
  };

  /** Last of all: without the finalizer the host vanishes. */
  const letGo = async (host: PublishedHost): Promise<void> => {
    const finalizers = host.metadata.finalizers ?? [];
    if (!finalizers.includes(FINALIZERS.host)) return;
    await change(host, { metadata: { finalizers: finalizers.filter((finalizer) => finalizer !== FINALIZERS.host) } });
  };

  return write;
}

function wantedStatus(host: PublishedHost, view: HostView, hardware: Json | undefined, now: number): Json {
  const generation = view.generation ?? host.metadata.generation;
  return {
    ...view.status,
    ...(hardware !== undefined && { hardware }),
    conditions: hostConditions(view, readConditions(host.status), generation, now),
  };
}

function withoutTime(status: Json): Json {
  const { lastUpdated: _, ...rest } = status;
  return rest;
}

const without = (keys: readonly string[]): Record<string, null> => Object.fromEntries(keys.map((key) => [key, null]));

function architectureOf(stored: StoredHardware | undefined): string {
  const cpu = stored?.spec.hardware?.['cpu'];
  const arch = typeof cpu === 'object' && cpu !== null && 'arch' in cpu ? cpu.arch : '';
  return typeof arch === 'string' ? arch : '';
}

const hardwareEvent = ({ metadata }: PublishedHost): HostEvent => ({
  id: `hardware/${metadata.resourceVersion}`,
  reason: 'UpdateHardwareDetails',
  message: 'Set HardwareDetails from hardware data or annotation',
});

const ignoredEvent = ({ metadata }: PublishedHost): HostEvent => ({
  id: `hardware-annotation-ignored/${metadata.resourceVersion}`,
  reason: 'RemoveAnnotation',
  message: 'HardwareDetails annotation ignored, status already set and inspection is not disabled',
});

const problemEvent = ({ metadata }: PublishedHost, problem: string): HostEvent => ({
  id: `hardware-annotation/${metadata.generation}`,
  reason: 'InvalidAnnotationValue',
  message: `Annotation ${ANNOTATIONS.hardwareDetails} was not taken over: ${problem}`,
});

const keyFor = ({ namespace, name }: HostView): string => `${namespace}/${name}`;
