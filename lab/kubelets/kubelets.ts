import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { connectKube } from '../../kube/client.ts';
import { createPrograms, type Programs } from '../binaries/programs.ts';
import { auditLogOf } from '../control-plane/audit.ts';
import { applyObject, createPaths, withKube } from '../control-plane/objects.ts';
import { temporal } from '../control-plane/temporal.ts';
import { inStep, type OnProgress } from '../progress.ts';
import { lockPath, openSession, type Session } from '../supervisor/session.ts';
import { NODES } from './addresses.ts';
import { createCgroup, removeCgroup } from './cgroups.ts';
import { controlPlaneServices, makeKubeadmFiles } from './control-plane.ts';
import { dns, OBJECTS, temporalRelay } from './host-services.ts';
import { networkNamespace, nodeNamespaces } from './namespaces.ts';
import { connect } from './network.ts';
import { makeNodeFolder } from './node-files.ts';
import { containerd, kubelet, kubeProxy, loadImages, onNode, tagImage } from './node-services.ts';
import { savePause } from './pause.ts';

/** One cluster at a time on a computer, because its addresses are always the same. */
export const FOLDER = join(tmpdir(), 'temper-kubelets');

const PROGRAMS = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubelet',
  'kube-proxy',
  'kubeadm',
  'temporal',
] as const;

/** The steps of a start, for callers that draw them in advance. */
export const KUBELETS_STEPS = [
  { title: 'Programs', steps: PROGRAMS.map((name) => `Get ${name}`) },
  {
    title: 'Cluster',
    steps: [
      'Make certificates',
      'Start the network',
      'Start the control plane',
      'Start Temporal',
      'Load images',
      'Start kubelets',
    ],
  },
];

export interface KubeletsOptions {
  /** OCI archives of the images that the nodes have; they can pull none. */
  readonly images: readonly string[];
  readonly onProgress?: OnProgress;
  /** Called for crashes, and leftovers of an earlier cluster. */
  readonly report?: (name: string, message: string) => void;
}

/** A cluster of two nodes with kubelets. Its Temporal is temporal-frontend.temporal.svc:7233 for Pods. */
export interface Kubelets {
  readonly endpoints: {
    readonly kubeconfig: string;
    readonly temporalAddress: string;
    readonly temporalNamespace: string;
    /** Path of the Temporal command line. */
    readonly temporalCli: string;
  };
  /** Gives an image a second name on all nodes. */
  tag(image: string, name: string): Promise<void>;
  /** Ends everything; nothing of it is left. */
  stop(): Promise<void>;
}

/** Starts the cluster, after it has removed one that crashed; after a failure nothing is left. */
export async function startKubelets({
  images,
  onProgress = () => undefined,
  report = () => undefined,
}: KubeletsOptions): Promise<Kubelets> {
  const session = await openCleaned(report);
  try {
    return await bringUp({ session, get: createPrograms(onProgress), onProgress }, images);
  } catch (error) {
    await end(session);
    throw error;
  }
}

/** Removes what a cluster has left that crashed. */
export const removeKubelets = async (): Promise<void> => end(await openCleaned());

/** Takes the folder, and removes all that is in it. */
async function openCleaned(report: (name: string, message: string) => void = () => undefined): Promise<Session> {
  const session = await openSession({ dir: FOLDER, report });
  await removeCgroups();
  const own = ['state.json', basename(lockPath(FOLDER))];
  for (const entry of await readdir(FOLDER))
    if (!own.includes(entry)) await rm(join(FOLDER, entry), { recursive: true });
  return session;
}

/** Mounts are in the namespaces of nodes alone: here are only their empty folders. */
async function end(session: Session): Promise<void> {
  await session.close();
  await removeCgroups();
  await rm(FOLDER, { recursive: true });
}

async function removeCgroups(): Promise<void> {
  for (const node of NODES) await removeCgroup(node, AbortSignal.timeout(60_000));
}

interface Starting {
  readonly session: Session;
  readonly get: Programs;
  readonly onProgress: OnProgress;
}

const folderOf = (name: string): string => join(FOLDER, name);

/** The process that holds the namespaces of a node, or the network. */
function holderOf({ supervisor }: Session, name: string): number {
  const pid = supervisor.pidOf(name);
  if (pid === undefined) throw new Error(`${name} is not running: see ${supervisor.logOf(name)}`);
  return pid;
}

async function bringUp(starting: Starting, images: readonly string[]): Promise<Kubelets> {
  const { session, get, onProgress } = starting;
  for (const name of PROGRAMS) await get(name);
  const { roots, kubeconfig } = await inStep(onProgress, 'Make certificates', () => makeFiles(get));
  await inStep(onProgress, 'Start the network', () => startNetwork(session));
  await inStep(onProgress, 'Start the control plane', async () => {
    for (const service of await controlPlaneServices(roots[0], FOLDER, get))
      await session.supervisor.start(onNode(holderOf(session, NODES[0].name), service));
    await applyObjects(kubeconfig);
  });
  const port = await inStep(onProgress, 'Start Temporal', () => startTemporal(starting));
  await inStep(onProgress, 'Load images', () => startContainerd(session, images));
  await inStep(onProgress, 'Start kubelets', () => startNodes(starting, kubeconfig));
  return {
    endpoints: {
      kubeconfig,
      temporalAddress: `127.0.0.1:${port}`,
      temporalNamespace: 'default',
      temporalCli: await get('temporal'),
    },
    tag: async (image, name) => {
      for (const node of NODES) await tagImage(holderOf(session, node.name), image, name);
    },
    stop: () => end(session),
  };
}

/** Before the namespaces exist: what is below a mount must not be changed from outside. */
async function makeFiles(get: Programs): Promise<Awaited<ReturnType<typeof makeKubeadmFiles>>> {
  const [first, second] = NODES;
  const roots = [
    await makeNodeFolder(folderOf(first.name), first),
    await makeNodeFolder(folderOf(second.name), second),
  ] as const;
  return makeKubeadmFiles({ program: await get('kubeadm'), roots, log: folderOf('logs/kubeadm.log') });
}

async function startNetwork(session: Session): Promise<void> {
  const { supervisor } = session;
  await supervisor.start(networkNamespace('network', FOLDER));
  const writable = [FOLDER, dirname(auditLogOf(FOLDER))];
  for (const { name } of NODES) await supervisor.start(nodeNamespaces(name, folderOf(name), writable));
  await connect(holderOf(session, 'network'), ({ name }) => holderOf(session, name));
  await supervisor.start(dns());
}

async function startTemporal({ session, get }: Starting): Promise<number> {
  const { supervisor } = session;
  const ports = await session.ports({ port: undefined, uiPort: undefined, metricsPort: undefined });
  await supervisor.start(temporal({ binary: await get('temporal'), dir: FOLDER, ...ports }));
  await supervisor.start(temporalRelay(ports.port));
  return ports.port;
}

async function startContainerd(session: Session, images: readonly string[]): Promise<void> {
  const pause = folderOf('pause.tar');
  await savePause(holderOf(session, NODES[0].name), pause);
  for (const node of NODES) {
    const holder = holderOf(session, node.name);
    await session.supervisor.start(onNode(holder, containerd(node, holder)));
    for (const archive of [pause, ...images]) await loadImages(holder, archive);
  }
}

async function startNodes({ session, get }: Starting, kubeconfig: string): Promise<void> {
  const kube = connectKube(kubeconfig);
  try {
    for (const node of NODES) {
      await createCgroup(node);
      for (const service of [await kubeProxy(node, get), await kubelet(node, kube, get)])
        await session.supervisor.start(onNode(holderOf(session, node.name), service));
    }
  } finally {
    await kube.close();
  }
}

const applyObjects = (kubeconfig: string): Promise<void> =>
  withKube(kubeconfig, async (kube) => {
    const pathsOf = createPaths(kube);
    for (const object of OBJECTS) await applyObject(kube, (await pathsOf(object)).object, object);
  });
