import { resolve } from 'node:path';
import { createPrograms, type Programs } from './binaries/programs.ts';
import {
  PREFERRED_PORTS as CLUSTER_API_PORTS,
  CLUSTER_API_STEPS,
  nodeSettings,
  startClusterApi,
} from './cluster-api/cluster-api.ts';
import {
  PREFERRED_PORTS as CONTROL_PLANE_PORTS,
  CONTROL_PLANE_STEPS,
  type ControlPlane,
  startControlPlane,
} from './control-plane/control-plane.ts';
import {
  PREFERRED_PORTS as IRONIC_PORTS,
  type IronicEndpoints,
  type IronicLab,
  type IronicLabOptions,
  prepareIronic,
} from './ironic/ironic-lab.ts';
import type { FailuresByMachine } from './machines/load.ts';
import type { LabMachine } from './machines/machine.ts';
import { inStep, type OnProgress, type StepGroup } from './progress.ts';
import { openSession, type Session } from './supervisor/session.ts';
import { PREFERRED_PORTS as TEMPER_PORTS, temperServices } from './temper.ts';
import { registerWebhooks } from './webhooks.ts';

interface CommonOptions {
  /** Everything the lab keeps is in this folder; a second start goes on with it. */
  readonly dir: string;
  /** Start the bridge and the workers too. */
  readonly temper?: boolean;
  /** Have the API server serve Temper's kinds. Off for those who install them in another way; Temper does not start then. */
  readonly crds?: boolean;
  /** Start the managers of Cluster API too, and let machines become nodes of the clusters they are deployed for. */
  readonly clusterApi?: boolean;
  /** Added to the environment of bridge and workers. */
  readonly temperEnv?: Readonly<Record<string, string>>;
  /** Off, every port is a random free one, so that labs do not meet. */
  readonly preferredPorts?: boolean;
  /** Delete the folder at the end, also after a crash. */
  readonly ephemeral?: boolean;
  /** Start again what crashes. */
  readonly restart?: boolean;
  /** Gives up starting, and ends what was started. */
  readonly signal?: AbortSignal;
  readonly onProgress?: OnProgress;
  /** Told of crashes, restarts, and of what an earlier lab left behind. */
  readonly report?: (name: string, message: string) => void;
}

export interface LabOptions extends CommonOptions {
  readonly provisioner?: 'ironic';
  readonly machines?: number;
  /** A recording proxy in front of Ironic. */
  readonly proxy?: boolean;
  readonly ironicAuth?: 'noauth' | 'http_basic';
  readonly failures?: FailuresByMachine;
  /** YAML or JSON with machines that differ from the pattern. */
  readonly machinesFile?: string;
  /** Login of every made-up BMC. */
  readonly bmc?: IronicLabOptions['bmc'];
  /** How long the steps of `fake-hardware` nodes take, seconds or `min,max`. */
  readonly fakeHardwareDelay?: string;
  /** Ironic looks at the power of all machines this often, in seconds, and believes what it sees instead of switching back. */
  readonly powerSync?: number;
}

/** Without Ironic, BMCs and agent: the fixture goes through the motions. */
export interface FixtureLabOptions extends CommonOptions {
  readonly provisioner: 'fixture';
}

export type FixtureEndpoints = ControlPlane & {
  readonly bridge?: string;
  readonly workers?: string;
  /** Where a cluster made in the lab may have its API server; only with Cluster API. */
  readonly workloadCluster?: string;
};
export type LabEndpoints = FixtureEndpoints & IronicEndpoints;

export interface Lab<Endpoints = LabEndpoints> {
  readonly dir: string;
  readonly endpoints: Endpoints;
  readonly machines: readonly LabMachine[];
  /** Ports that are not the preferred ones, because somebody else had these. */
  readonly movedPorts: Readonly<Record<string, { readonly preferred: number; readonly actual: number }>>;
  services(): readonly string[];
  pidOf(name: string): number | undefined;
  logOf(name: string): string;
  /** With SIGKILL, SIGTERM and their like returns when all of the service's processes are gone; it stays down. */
  kill(name: string, signal: NodeJS.Signals): Promise<void>;
  start(name: string): Promise<void>;
  stop(): Promise<void>;
}

export type FixtureLab = Lab<FixtureEndpoints>;

const PREFERRED = { ...CONTROL_PLANE_PORTS, ...IRONIC_PORTS, ...TEMPER_PORTS, ...CLUSTER_API_PORTS };
type PortName = keyof typeof PREFERRED;

const IRONIC_STEPS = ['Prepare Ironic and its machines', 'Start Ironic and its machines'] as const;
const TEMPER_STEP = 'Start bridge and workers';

/** What `startLab` will report, under headings, for those who draw it before it begins. */
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

/** Brings up a whole lab and returns when every part of it is ready; on failure nothing is left running. */
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
    startControlPlane(session, ports, onProgress, get, options.crds),
    options.provisioner === 'fixture'
      ? Promise.resolve(undefined)
      : startIronic(session, ports, options, get, onProgress),
  ] as const;
  // All have to come to an end before a failure is reported: the caller cleans up then.
  await Promise.allSettled(starting);
  const [controlPlane, ironic] = await Promise.all(starting);
  if (options.clusterApi === true) {
    await startClusterApi(session, ports, controlPlane.kubeconfig, get, onProgress);
  }
  if (options.temper !== false) {
    const env = options.temperEnv ?? {};
    const services = temperServices({ controlPlane, ironic: ironic?.endpoints, ports, env });
    await inStep(onProgress, TEMPER_STEP, async () => {
      await registerWebhooks(controlPlane.kubeconfig, ports.webhooks);
      await startEach(session, services, 'together');
    });
  }
  const endpoints: LabEndpoints | FixtureEndpoints = {
    ...controlPlane,
    ...ironic?.endpoints,
    ...(options.temper === false
      ? {}
      : { bridge: `http://127.0.0.1:${ports.bridgeHealth}`, workers: `http://127.0.0.1:${ports.workersHealth}` }),
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
