import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPrograms, type Programs } from '../binaries/programs.ts';
import { inStep, type OnProgress } from '../progress.ts';
import type { Session } from '../supervisor/session.ts';
import { adminOf, ensurePki } from './certificates.ts';
import { applyCrds } from './custom-resources.ts';
import { etcd, etcdUrl } from './etcd.ts';
import { apiserverUrl, kubeApiserver } from './kube-apiserver.ts';
import { kubeControllerManager } from './kube-controller-manager.ts';
import { kubeconfigText } from './kubeconfig.ts';
import { type TemporalOptions, temporal } from './temporal.ts';

export const CONTROL_PLANE_PORTS = {
  etcd: 12379,
  etcdPeer: 12380,
  kubeApiserver: 16443,
  kubeControllerManager: 16257,
  temporal: 17233,
  temporalUi: 18233,
  temporalMetrics: 17235,
} as const;

export type ControlPlanePorts = Readonly<Record<keyof typeof CONTROL_PLANE_PORTS, number>>;

export interface ControlPlane {
  readonly kubeconfig: string;
  readonly kubernetes: string;
  readonly etcd: string;
  readonly temporalAddress: string;
  readonly temporalNamespace: string;
  readonly webUi: string;
  /** Path of the Temporal command line. */
  readonly temporalCli: string;
}

export interface ControlPlaneSettings extends Pick<TemporalOptions, 'suggestNewRunAt'> {
  readonly crds?: boolean;
  /** The audit log has the contents of requests. */
  readonly auditContents?: boolean;
  /** The API server forgets no old version. */
  readonly keepsVersions?: boolean;
}

const CRDS = fileURLToPath(new URL('../../crds', import.meta.url));

/** The steps of starting a control plane, under headings. */
export const CONTROL_PLANE_STEPS = [
  {
    title: 'Kubernetes API',
    steps: [
      'Get etcd',
      'Get kube-apiserver',
      'Get kube-controller-manager',
      'Start etcd',
      'Start kube-apiserver',
      'Start kube-controller-manager',
      'Apply CRDs',
    ],
  },
  { title: 'Temporal', steps: ['Get temporal', 'Start temporal'] },
] as const;

/** Starts etcd, kube-apiserver, kube-controller-manager and Temporal, and applies our CRDs unless told otherwise. */
export async function startControlPlane(
  session: Session,
  ports: ControlPlanePorts,
  onProgress: OnProgress,
  get: Programs = createPrograms(onProgress),
  { crds = true, auditContents = false, keepsVersions = false, suggestNewRunAt }: ControlPlaneSettings = {},
): Promise<ControlPlane> {
  const { dir, supervisor } = session;
  const kubeconfig = join(dir, 'kubeconfig');

  const startKubernetes = async (): Promise<void> => {
    const pki = await ensurePki(join(dir, 'pki'));
    const { ca, ...user } = adminOf(pki);
    const access = { server: apiserverUrl(ports.kubeApiserver), ca, user };
    await writeFile(kubeconfig, kubeconfigText(access, 'temper-lab'), { mode: 0o600 });
    const [etcdBinary, apiserver, controllerManager] = await Promise.all([
      get('etcd'),
      get('kube-apiserver'),
      get('kube-controller-manager'),
    ]);
    await inStep(onProgress, 'Start etcd', () =>
      supervisor.start(etcd({ binary: etcdBinary, dir, pki, port: ports.etcd, peerPort: ports.etcdPeer })),
    );
    await inStep(onProgress, 'Start kube-apiserver', () =>
      supervisor.start(
        kubeApiserver({
          binary: apiserver,
          dir,
          pki,
          port: ports.kubeApiserver,
          etcdPort: ports.etcd,
          keepsVersions,
          audit: { contents: auditContents },
        }),
      ),
    );
    const manager = { binary: controllerManager, dir, pki, port: ports.kubeControllerManager, kubeconfig };
    await Promise.all([
      inStep(onProgress, 'Start kube-controller-manager', () => supervisor.start(kubeControllerManager(manager))),
      crds &&
        inStep(
          onProgress,
          'Apply CRDs',
          () => applyCrds(kubeconfig, CRDS, AbortSignal.timeout(120_000)),
          (names) => `${names.length} kinds`,
        ),
    ]);
  };
  const startTemporal = async (): Promise<string> => {
    const binary = await get('temporal');
    const { temporal: port, temporalUi: uiPort, temporalMetrics: metricsPort } = ports;
    await inStep(onProgress, 'Start temporal', () =>
      supervisor.start(temporal({ binary, dir, port, uiPort, metricsPort, suggestNewRunAt })),
    );
    return binary;
  };

  const [, temporalCli] = await allOrFirstError([startKubernetes(), startTemporal()] as const);
  return {
    kubeconfig,
    kubernetes: apiserverUrl(ports.kubeApiserver),
    etcd: etcdUrl(ports.etcd),
    temporalAddress: `127.0.0.1:${ports.temporal}`,
    temporalNamespace: 'default',
    webUi: `http://127.0.0.1:${ports.temporalUi}`,
    temporalCli,
  };
}

/** Waits for all before it fails, so that no start is still running while the caller cleans up. */
async function allOrFirstError<A, B>(work: readonly [Promise<A>, Promise<B>]): Promise<[A, B]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}
