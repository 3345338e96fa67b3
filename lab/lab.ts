import { join, resolve } from 'node:path';
import { revisionOfCheckout } from '../platform/revision.ts';
import { createPrograms, type Programs } from './binaries/programs.ts';
import { CLUSTER_API_PORTS, CLUSTER_API_STEPS, nodeSettings, startClusterApi } from './cluster-api/cluster-api.ts';
import { leaveClusterApi } from './cluster-api/leave.ts';
import {
  CONTROL_PLANE_PORTS,
  CONTROL_PLANE_STEPS,
  type ControlPlane,
  startControlPlane,
} from './control-plane/control-plane.ts';
import {
  IRONIC_PORTS,
  type IronicEndpoints,
  type IronicLab,
  type IronicLabOptions,
  prepareIronic,
} from './ironic/ironic-lab.ts';
import type { FailuresByMachine } from './machines/load.ts';
import type { LabMachine } from './machines/machine.ts';
import { inStep, type OnProgress, type StepGroup } from './progress.ts';
import { grantRights } from './rights.ts';
import { openSession, type Session } from './supervisor/session.ts';
import { TEMPER_PORTS, temperEndpoints, temperServices } from './temper.ts';
import { registerWebhooks, removeWebhooks } from './webhooks.ts';

interface CommonOptions {
  /** Folder with everything that the lab keeps; a second start continues with it. */
  readonly dir: string;
  /** Start the bridge and the workers too. */
  readonly temper?: boolean;
  /** Install Temper's CRDs. Off for tests that install them in another way; Temper is then not started. */
  readonly crds?: boolean;
  /** Let the API server's audit log have the contents of hosts and machines that are written, and of hosts that are read. */
  readonly auditContents?: boolean;
  /** The API server forgets no old version, so that a watch of a quiet collection can go on where it ended. */
  readonly keepsVersions?: boolean;
  /** Start the managers of Cluster API too, and let machines join the clusters for which they are deployed. */
  readonly clusterApi?: boolean;
  /** Added to the environment of bridge and workers. */
  readonly temperEnv?: Readonly<Record<string, string>>;
  /** URL at which bridge and workers reach the API server, for example through a proxy; by default its own. */
  readonly apiServerOfTemper?: string;
  /** When false, every port is random, so that labs do not collide. */
  readonly preferredPorts?: boolean;
  /** Delete the folder at the end, also after a crash. */
  readonly ephemeral?: boolean;
  /** Restart crashed services. */
  readonly restart?: boolean;
  /** Aborts the start and ends what was started. */
  readonly signal?: AbortSignal;
  readonly onProgress?: OnProgress;
  /** Called for crashes, restarts, and leftovers of an earlier lab. */
  readonly report?: (name: string, message: string) => void;
}

export interface LabOptions extends CommonOptions {
  readonly provisioner?: 'ironic';
  readonly machines?: number;
  /** Start a recording proxy in front of Ironic. */
  readonly proxy?: boolean;
  readonly ironicAuth?: 'noauth' | 'http_basic';
  readonly failures?: FailuresByMachine;
  /** YAML or JSON file with machines that differ from the pattern. */
  readonly machinesFile?: string;
  /** Credentials of every simulated BMC. */
  readonly bmc?: IronicLabOptions['bmc'];
  /** Duration of the steps of `fake-hardware` nodes: seconds, or `min,max`. */
  readonly fakeHardwareDelay?: string;
  /** Ironic checks the power of all nodes at this interval in seconds. */
  readonly powerSync?: number;
  /** Ironic restores power that was changed without it. */
  readonly restoresPower?: boolean;
  /** Machines that boot without a host are discovered. */
  readonly discovery?: boolean;
}

/** Without Ironic, BMCs and agents: the fixture simulates the hosts. */
export interface FixtureLabOptions extends CommonOptions {
  readonly provisioner: 'fixture';
}

export type FixtureEndpoints = ControlPlane & {
  readonly bridge?: string;
  readonly workers?: string;
  /** URLs of /metrics of both processes, without authentication. */
  readonly bridgeMetrics?: string;
  readonly workersMetrics?: string;
  /** Address for the API server of a cluster that is created in the lab; only with Cluster API. */
  readonly workloadCluster?: string;
};
export type LabEndpoints = FixtureEndpoints & IronicEndpoints;

export interface Lab<Endpoints = LabEndpoints> {
  readonly dir: string;
  readonly endpoints: Endpoints;
  readonly machines: readonly LabMachine[];
  /** Ports that differ from the preferred ones because those were in use. */
  readonly movedPorts: Readonly<Record<string, { readonly preferred: number; readonly actual: number }>>;
  services(): readonly string[];
  pidOf(name: string): number | undefined;
  logOf(name: string): string;
  /**
   * With SIGKILL, SIGTERM and similar signals, returns when all processes of the service have ended; the service stays
   * down.
   */
  kill(name: string, signal: NodeJS.Signals): Promise<void>;
  start(name: string): Promise<void>;
  stop(): Promise<void>;
}

export type FixtureLab = Lab<FixtureEndpoints>;

const PREFERRED = { ...CONTROL_PLANE_PORTS, ...IRONIC_PORTS, ...TEMPER_PORTS, ...CLUSTER_API_PORTS };
type PortName = keyof typeof PREFERRED;

const IRONIC_STEPS = ['Prepare Ironic and its machines', 'Start Ironic and its machines'] as const;
const TEMPER_STEP = 'Start bridge and workers';

/** The steps that `startLab` will report, under headings, for callers that draw them in advance. */
export const labSteps = ({
  temper,
  clusterApi,
  provisioner,
}: {
  readonly temper?: boolean;
  readonly clusterApi?: boolean;
  readonly provisioner?: 'ironic' | 'fixture';
}): readonly StepGroup[] => [
  ...CONTROL_PLANE_STEPS,
  ...(provisioner === 'fixture' ? [] : [{ title: 'Ironic', steps: IRONIC_STEPS }]),
  ...(temper === false ? [] : [{ title: 'Temper', steps: [TEMPER_STEP] }]),
  ...(clusterApi === true ? [CLUSTER_API_STEPS] : []),
];

/** Starts a whole lab and returns when every part is ready; after a failure nothing is left running. */
export function startLab(options: LabOptions): Promise<Lab>;
export function startLab(options: FixtureLabOptions): Promise<FixtureLab>;
export async function startLab(options: LabOptions | FixtureLabOptions): Promise<Lab | FixtureLab> {
  const session = await openSession({
    dir: resolve(options.dir),
    ephemeral: options.ephemeral === true,
    restart: options.restart === true,
    ...(options.report === undefined ? {} : { report: options.report }),
  });
  try {
    return await orAborted(bringUp(session, options), options.signal);
  } catch (error) {
    await session.close();
    throw error;
  }
}

async function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  work.catch(() => undefined);
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

async function bringUp(session: Session, options: LabOptions | FixtureLabOptions): Promise<Lab | FixtureLab> {
  const { dir, supervisor, state } = session;
  const onProgress: OnProgress = options.onProgress ?? (() => undefined);
  const ports = await session.ports<PortName>(options.preferredPorts === false ? withoutPreference() : PREFERRED);
  const get = createPrograms(onProgress);
  const starting = [
    startControlPlane(session, ports, onProgress, get, options),
    options.provisioner === 'fixture'
      ? Promise.resolve(undefined)
      : startIronic(session, ports, options, get, onProgress),
  ] as const;
  // All starts must have ended before a failure is reported, because the caller then cleans up.
  await Promise.allSettled(starting);
  const [controlPlane, ironic] = await Promise.all(starting);
  if (options.clusterApi === true) {
    await startClusterApi(session, ports, controlPlane.kubeconfig, get, onProgress);
  } else await leaveClusterApi(controlPlane.kubeconfig);
  const env: Readonly<Record<string, string>> = {
    ...(resolve(dir) === OWN_FOLDER && { TEMPORAL_COMMAND: 'npx temper temporal' }),
    TEMPER_REVISION: revisionOfCheckout() ?? '',
    ...(isDiscovering(options) && DISCOVERY),
    ...options.temperEnv,
  };
  const hasWebhooks = options.temper !== false && env['WEBHOOK_PORT'] !== '0';
  // Webhooks of an earlier start of this lab would refuse every write.
  if (!hasWebhooks) await removeWebhooks(controlPlane.kubeconfig);
  if (options.temper !== false) {
    await inStep(onProgress, TEMPER_STEP, async () => {
      const credentials = await grantRights(controlPlane.kubeconfig, dir, options.apiServerOfTemper);
      const ironicEndpoints = ironic?.endpoints;
      const services = temperServices({ controlPlane, credentials, ironic: ironicEndpoints, ports, env, hasWebhooks });
      if (hasWebhooks) await registerWebhooks(controlPlane.kubeconfig, ports.webhooks);
      await startEach(session, services, 'together');
    });
  }
  const endpoints: LabEndpoints | FixtureEndpoints = {
    ...controlPlane,
    ...ironic?.endpoints,
    ...(options.temper === false ? {} : temperEndpoints(ports)),
    ...(options.clusterApi === true ? { workloadCluster: `https://127.0.0.1:${ports.workloadCluster}` } : {}),
  };
  const machines = ironic?.machines ?? [];
  state.update((before) => ({ ...before, endpoints: { ...endpoints }, settings: { machines: machines.length } }));
  return {
    dir,
    endpoints,
    machines,
    movedPorts: options.preferredPorts === false ? {} : movedPorts(ports),
    services: () => supervisor.names(),
    pidOf: (name) => supervisor.pidOf(name),
    logOf: (name) => supervisor.logOf(name),
    kill: (name, signal) => supervisor.kill(name, signal),
    start: (name) => supervisor.startAgain(name),
    stop: () => session.close(),
  };
}

/** The lab that `npx temper` finds in the checkout without being told. */
const OWN_FOLDER = join(import.meta.dirname, '..', '.lab');

const isDiscovering = (options: LabOptions | FixtureLabOptions): boolean =>
  options.provisioner !== 'fixture' && options.discovery === true;

/** With these settings, all machines of the lab may become hosts. */
const DISCOVERY = {
  DISCOVERY_ENABLED: 'true',
  DISCOVERY_MAC_PREFIXES: '52:54:00',
  IRONIC_SWEEP_INTERVAL: '5s',
} as const;

async function startIronic(
  session: Session,
  ports: Readonly<Record<PortName, number>>,
  options: LabOptions,
  get: Programs,
  onProgress: OnProgress,
): Promise<IronicLab> {
  const { proxy, ...ironicPorts } = ports;
  const nodes = options.clusterApi === true ? await nodeSettings(session.dir, ports.etcd, get) : undefined;
  const [prepare, start] = IRONIC_STEPS;
  const ironic = await inStep(onProgress, prepare, (detail) =>
    prepareIronic({
      dir: session.dir,
      ports: options.proxy === true ? { ...ironicPorts, proxy } : ironicPorts,
      auth: options.ironicAuth ?? 'noauth',
      machines: options.machines ?? 20,
      ...(options.failures === undefined ? {} : { failures: options.failures }),
      ...(options.machinesFile === undefined ? {} : { machinesFile: options.machinesFile }),
      ...(options.fakeHardwareDelay === undefined ? {} : { fakeHardwareDelay: options.fakeHardwareDelay }),
      ...(options.powerSync === undefined ? {} : { powerSync: options.powerSync }),
      ...(options.restoresPower === undefined ? {} : { restoresPower: options.restoresPower }),
      ...(options.discovery === undefined ? {} : { discovery: options.discovery }),
      ...(options.bmc === undefined ? {} : { bmc: options.bmc }),
      ...(nodes === undefined ? {} : { nodes }),
      onProgress: detail,
    }),
  );
  await inStep(
    onProgress,
    start,
    () => startEach(session, ironic.services, 'in order'),
    () => `${ironic.machines.length} machines`,
  );
  return ironic;
}

async function startEach(
  { supervisor }: Session,
  services: IronicLab['services'],
  how: 'in order' | 'together',
): Promise<void> {
  if (how === 'in order') {
    for (const service of services) await supervisor.start(service);
    return;
  }
  const starts = services.map((service) => supervisor.start(service));
  await Promise.allSettled(starts);
  await Promise.all(starts);
}

function withoutPreference(): Record<PortName, undefined> {
  return Object.fromEntries(Object.keys(PREFERRED).map((name) => [name, undefined])) as Record<PortName, undefined>;
}

function movedPorts(ports: Readonly<Record<PortName, number>>): Lab['movedPorts'] {
  return Object.fromEntries(
    (Object.keys(PREFERRED) as PortName[])
      .filter((name) => ports[name] !== PREFERRED[name])
      .map((name) => [name, { preferred: PREFERRED[name], actual: ports[name] }]),
  );
}
