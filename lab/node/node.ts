import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { connectKube } from '../../kube/client.ts';
import type { DiskContent } from '../disk/disk.ts';
import type { LabMachine } from '../machines/machine.ts';
import type { ControlPlaneProcesses } from './control-plane/control-plane-process.ts';
import { seatOf } from './control-plane/seat.ts';
import { initCluster, joinCluster, type Member } from './join/join.ts';
import { KUBELET, MANIFESTS } from './kubeadm.ts';
import { type KubeletOptions, keepAlive, keepReporting, registerKubelet } from './kubelet/kubelet.ts';
import { runPods } from './kubelet/pods.ts';
import { readStaticPods } from './kubelet/static-pods.ts';
import { configureNetwork, type Network, nodeAddress } from './network/configure.ts';
import { rootFolder } from './root-folder.ts';
import type { NodeSettings } from './settings.ts';
import { type CloudConfig, hostnameOf, type InstanceMetaData, readCloudConfig } from './user-data/cloud-config.ts';
import { clusterConfigurationIn, InvalidUserData, readDocuments } from './user-data/kubeadm-config.ts';

/** The Kubernetes Node of the machine: joining, a member of its cluster, or failed. */
export interface NodeView {
  readonly phase: 'joining' | 'joined' | 'failed';
  readonly name?: string;
  /** The network that is configured from the config drive. */
  readonly network?: Network;
  /** Why it failed, or what is being retried. */
  readonly error?: string;
}

export interface SimulatedNode {
  view(): NodeView;
  /** The machine is powered off. */
  halt(): Promise<void>;
}

export interface NodeDeps {
  readonly machine: LabMachine;
  /** Folder of the installed system; deleted together with the image. */
  readonly rootDir: string;
  readonly settings: NodeSettings;
  readonly processes: ControlPlaneProcesses;
  readonly log: Logger;
}

const RETRY_MS = 1_000;
/** How long kubeadm tries to find its cluster. */
const JOIN_MS = 300_000;
const COMMAND = /\bkubeadm\s+(init|join)\b.*?--config[=\s]+(\S+)/;

/**
 * Boots the system on the disk as cloud-init, kubeadm and a kubelet would; undefined when its user data does not use
 * kubeadm.
 */
export function bootNode(deps: NodeDeps, disk: DiskContent): SimulatedNode | undefined {
  const metaData = (disk.configDrive?.metaData ?? {}) as InstanceMetaData;
  const halting = new AbortController();
  let view: NodeView = { phase: 'joining' };
  const fail = (error: unknown): void => {
    if (halting.signal.aborted) return;
    view = { ...view, phase: 'failed', error: messageOf(error) };
    deps.log.warn({ machine: deps.machine.name, err: error }, 'the machine failed to become a Node');
  };
  let life: Promise<void> = Promise.resolve();
  try {
    const config = readCloudConfig(disk.configDrive?.userData ?? '', metaData);
    const [, action, path] = config?.commands.map((command) => COMMAND.exec(command)).find((match) => match) ?? [];
    if (config === undefined || path === undefined) return undefined;
    const network = configureNetwork(disk.configDrive?.networkData, deps.machine.inventory.nics);
    view = { ...view, network };
    const order: Order = {
      config,
      address: nodeAddress(network),
      action: action === 'init' ? 'init' : 'join',
      path,
      hostname: hostnameOf(metaData) ?? deps.machine.name,
      imageVersion: /v\d+\.\d+\.\d+/.exec(disk.image?.url ?? '')?.[0],
    };
    const show = (next: NodeView): void => {
      view = { ...next, network };
    };
    life = live(deps, order, show, halting.signal).catch(fail);
  } catch (error) {
    fail(error);
  }
  return {
    view: () => view,
    halt: async () => {
      halting.abort();
      await life;
      await deps.processes.leave(deps.machine.name);
    },
  };
}

/** The result of reading the machine's user data. */
interface Order {
  readonly config: CloudConfig;
  /** The machine's address for other machines. */
  readonly address: string;
  readonly action: 'init' | 'join';
  /** Path of kubeadm's configuration. */
  readonly path: string;
  readonly hostname: string;
  /** Kubernetes version, when the image has it in its name. */
  readonly imageVersion: string | undefined;
}

const MEMBER = '/var/lib/temper/member.json';

async function live(
  { machine, rootDir, settings, processes, log }: NodeDeps,
  { config, address, action, path, hostname, imageVersion }: Order,
  show: (view: NodeView) => void,
  signal: AbortSignal,
): Promise<void> {
  const root = rootFolder(rootDir);
  const warn = (error: unknown, what: string): void => log.warn({ machine: machine.name, err: error }, what);

  /** Starts the control plane if there is one, and registers the Node. */
  const start = async ({ name, clusterConfiguration, registration, version }: Member): Promise<KubeletOptions> => {
    const staticPods = await readStaticPods(root.at(MANIFESTS));
    if (staticPods.length > 0) {
      const cluster = clusterConfigurationIn([clusterConfiguration]);
      await processes.join(machine.name, await seatOf(cluster, staticPods, root, settings), signal);
    }
    const kubelet: KubeletOptions = {
      kube: connectKube(root.at(KUBELET)),
      name,
      registration,
      version: imageVersion ?? version,
      systemUuid: machine.uuid,
      addresses: [
        { type: 'InternalIP', address },
        { type: 'Hostname', address: name },
      ],
      capacity: { cpu: machine.inventory.cpu.count, memoryMiB: machine.inventory.ramMiB },
      staticPods,
      signal,
      warn,
    };
    await untilDone(() => registerKubelet(kubelet));
    return kubelet;
  };

  const untilDone = async <T>(work: () => Promise<T>): Promise<T> => {
    const deadline = Date.now() + JOIN_MS;
    for (;;) {
      try {
        return await work();
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof InvalidUserData || Date.now() > deadline) throw error;
        show({ phase: 'joining', name: hostname, error: messageOf(error) });
        await sleep(RETRY_MS, undefined, { signal });
      }
    }
  };

  const install = async (): Promise<KubeletOptions> => {
    for (const file of config.files) await root.write(file.path, file.content, file.append);
    const documents = readDocuments(await root.read(path));
    const log = join(settings.logsDir, `${machine.name}-kubeadm.log`);
    const deps = { program: settings.kubeadm, root, address, log, hostname, signal };
    const enter = action === 'init' ? initCluster : joinCluster;
    const joining = await untilDone(() => enter(documents, deps));
    const kubelet = await start(joining.member);
    await joining.finish();
    await root.write(MEMBER, JSON.stringify(joining.member));
    return kubelet;
  };

  const kubelet = root.has(MEMBER) ? await start(JSON.parse(await root.read(MEMBER)) as Member) : await install();
  try {
    show({ phase: 'joined', name: kubelet.name });
    await Promise.all([keepAlive(kubelet), keepReporting(kubelet), runPods(kubelet)]);
  } finally {
    await kubelet.kube.close();
  }
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
