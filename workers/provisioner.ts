import { createFixtureOperations } from '../activities/fixture/activities.ts';
import { forFreshHosts } from '../activities/freshness/fresh-host.ts';
import { createIronicOperations, type IronicActivities, type NodeOperations } from '../activities/ironic/activities.ts';
import { openConfiguredIronic } from '../activities/ironic/client/configured-client.ts';
import type { OnAnswer } from '../activities/ironic/client/transport.ts';
import { currentCall } from '../activities/ironic/context.ts';
import { counted } from '../activities/ironic/counted.ts';
import { createNodePoller } from '../activities/ironic/poll/poller.ts';
import { DEFAULT_IRONIC_SETTINGS, type IronicSettings } from '../activities/ironic/settings.ts';
import { createHostData } from '../activities/kubernetes/host/host-data.ts';
import { defined } from '../domain/defined.ts';
import { WITHHELD_REASONS, type WithheldReason } from '../domain/ironic/withheld.ts';
import type { WorkerMeasurement } from '../domain/metrics/definitions.ts';
import type { Kube } from '../kube/client.ts';
import type { WorkersConfig } from '../platform/config/config.ts';
import type { Log } from '../platform/log.ts';
import type { KeptSizes } from '../platform/metrics/kept.ts';
import type { SignalFailing } from '../platform/temporal/failing-requests.ts';
import { createTaskGate, type TaskGate } from '../platform/temporal/task-gate.ts';

export interface Provisioner {
  /** The activities that manage servers. `tell` signals workflows whose requests keep failing. */
  activities(tell: SignalFailing): IronicActivities;
  /** Throws when no server can be managed now. */
  answers(signal: AbortSignal): Promise<void>;
  /** Closed while this process can't reach what manages servers, although others perhaps can. */
  readonly gate?: TaskGate;
  /** Why the gate is closed, for /readyz. */
  missing(): readonly string[];
  close(): Promise<void>;
  readonly kept: KeptSizes;
  /** Records how many changes wait for their turn; called before each scrape. */
  measure(): void;
}

interface Surroundings {
  readonly kube: Kube;
  /** The same API server, without a wait for the rate limit. */
  readonly urgent: Kube;
  readonly log: Log;
  readonly count: (measurement: WorkerMeasurement) => void;
  readonly onAnswer: OnAnswer;
}

/** Ironic, or the fixture instead of it, as configured. */
export async function openProvisioner(config: WorkersConfig, around: Surroundings): Promise<Provisioner> {
  switch (config.PROVISIONER) {
    case 'ironic':
      return openIronic(config, around);
    case 'fixture': {
      const { kube, urgent, log, count } = around;
      log.warn('the fixture provisioner is in use: no server is changed');
      const { FIXTURE_TIME_SCALE: timeScale } = config;
      const hostData = createHostData(kube, count);
      const activities = createFixtureOperations({ kube, urgent, hostData, log, timeScale });
      const done = (): Promise<void> => Promise.resolve();
      return {
        activities: () => checked(activities, around),
        measure: () => undefined,
        answers: done,
        missing: () => [],
        close: done,
        kept: {},
      };
    }
  }
}

/** The same activities, but each request reads its host first; errors and withheld requests are counted. */
const checked = (
  operations: NodeOperations,
  { kube, urgent, count }: Pick<Surroundings, 'kube' | 'urgent' | 'count'>,
  onUnreachable?: () => void,
): IronicActivities =>
  counted(
    forFreshHosts(operations, { kube, urgent, call: currentCall, onWithheld: withheldCounter(count) }),
    count,
    onUnreachable,
  );

/** Counts each reason from 0 on, so that the first request that is withheld is an increase. */
function withheldCounter(count: Surroundings['count']): (reason: WithheldReason) => void {
  const add = (reason: WithheldReason, value: number): void =>
    count({ name: 'temper_ironic_requests_withheld_total', labels: { reason }, value });
  for (const reason of Object.keys(WITHHELD_REASONS) as WithheldReason[]) add(reason, 0);
  return (reason) => add(reason, 1);
}

async function openIronic(
  config: WorkersConfig,
  { kube, urgent, log, count, onAnswer }: Surroundings,
): Promise<Provisioner> {
  const onPlace = (waitedMs: number): void =>
    count({ name: 'temper_ironic_queue_seconds', labels: {}, value: waitedMs / 1_000 });
  const ironic = await openConfiguredIronic(config, kube, { onAnswer, onPlace });
  if (ironic === undefined) throw new Error('configuration: neither IRONIC_ENDPOINT nor IRONIC_NAME is set');
  const gate = createTaskGate();
  const poller = createNodePoller({
    listNodes: (signal) => ironic.listNodes(signal),
    intervalMs: config.IRONIC_POLL_INTERVAL,
    log,
    patienceMs: config.IRONIC_PATIENCE,
    onAway: (isAway) => (isAway ? gate.close() : gate.open()),
  });
  const hostData = createHostData(kube, count);
  const deps = { ironic, poller, hostData, settings: settingsOf(config), log };
  return {
    activities: (tell) =>
      checked(createIronicOperations({ ...deps, tell }), { kube, urgent, count }, () => poller.suspect()),
    answers: (signal) => ironic.answers(signal),
    gate,
    missing() {
      const why = poller.whyAway();
      return why === undefined ? [] : [`no tasks that need Ironic are taken: ${why}`];
    },
    async close() {
      poller.close();
      await ironic.close();
    },
    kept: poller.kept,
    measure: () => count({ name: 'temper_ironic_queue_waiting', labels: {}, value: ironic.places.waiting }),
  };
}

export function settingsOf(from: WorkersConfig): IronicSettings {
  const { DEPLOY_ISO_URL: iso, DEPLOY_KERNEL_URL: kernel, DEPLOY_RAMDISK_URL: ramdisk } = from;
  return {
    ...DEFAULT_IRONIC_SETTINGS,
    deployImages: defined({ iso, kernel, ramdisk }),
    provisioningNetworkDisabled: from.PROVISIONING_NETWORK_DISABLED,
    forcePersistentBootDevice: {
      disk: from.DIRECT_DEPLOY_FORCE_PERSISTENT_BOOT_DEVICE,
      liveIso: from.LIVE_ISO_FORCE_PERSISTENT_BOOT_DEVICE,
    },
    ...(from.IRONIC_EXTERNAL_URL_V6 !== undefined && { externalUrlV6: from.IRONIC_EXTERNAL_URL_V6 }),
    allowFakeHardware: from.TEMPER_LAB,
    stepDeadlineMs: from.IRONIC_STEP_DEADLINE,
    patience: { longestRequestMs: from.IRONIC_LONGEST_REQUEST, lockDeadlineMs: from.IRONIC_LOCK_DEADLINE },
  };
}
