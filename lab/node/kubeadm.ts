import { appendFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { execa } from 'execa';
import type { RootFolder } from './root-folder.ts';
import {
  type ClusterConfiguration,
  clusterConfigurationIn,
  completeInit,
  InvalidUserData,
  type readDocuments,
  writeDocuments,
} from './user-data/kubeadm-config.ts';

export const KUBERNETES = '/etc/kubernetes';
export const PKI = `${KUBERNETES}/pki`;
export const MANIFESTS = `${KUBERNETES}/manifests`;
/** Kubeconfig of an administrator that needs no RBAC; only the first machine of a cluster has it. */
export const FIRST_ADMIN = `${KUBERNETES}/super-admin.conf`;
export const ADMIN = `${KUBERNETES}/admin.conf`;
export const KUBELET = `${KUBERNETES}/kubelet.conf`;

const AS_GIVEN = '/var/lib/temper/kubeadm.yaml';
const WITH_OUR_FOLDER = '/var/lib/temper/kubeadm-here.yaml';

export interface KubeadmOptions {
  readonly program: string;
  readonly root: RootFolder;
  /** The machine's address for others. */
  readonly address: string;
  readonly log: string;
  readonly signal: AbortSignal;
}

/** Runs the steps of `kubeadm init` with kubeadm itself, on the files of one machine. */
export interface Kubeadm {
  readonly cluster: ClusterConfiguration;
  /** Creates certificates and static Pods from the CAs that the machine was given. */
  makeFiles(kubeconfigs: readonly KubeconfigName[]): Promise<void>;
  /** A kubeconfig with a new certificate for this user. Only after `makeFiles`. */
  kubeconfigFor(user: string, ...groups: readonly string[]): Promise<string>;
  /** Uploads what `kubeadm init` stores in a new cluster: configuration, roles, tokens, add-ons. */
  uploadAll(): Promise<void>;
}

type KubeconfigName = 'admin' | 'super-admin' | 'kubelet' | 'controller-manager' | 'scheduler';

export async function openKubeadm(
  documents: ReturnType<typeof readDocuments>,
  { program, root, address, log, signal }: KubeadmOptions,
): Promise<Kubeadm> {
  const cluster = clusterConfigurationIn(documents);
  await root.write(AS_GIVEN, writeDocuments(completeInit(documents, { address })));
  await root.write(
    WITH_OUR_FOLDER,
    writeDocuments(completeInit(documents, { address, certificatesDir: root.at(PKI) })),
  );
  await mkdir(dirname(log), { recursive: true });

  const phase = async (name: string, config: string, ...args: readonly string[]): Promise<void> => {
    const all = ['init', 'phase', ...name.split(' '), `--config=${root.at(config)}`, ...args];
    // With this variable kubeadm uses no folder of the real computer.
    const env = { KUBEADM_INIT_DRYRUN_DIR: root.at(MANIFESTS) };
    const made = await execa(program, all, { env, reject: false, all: true, cancelSignal: signal, timeout: 120_000 });
    signal.throwIfAborted();
    await appendFile(log, `--- kubeadm ${all.join(' ')}\n${made.all}\n`);
    if (made.failed)
      throw new InvalidUserData(`kubeadm init phase ${name}: ${made.all.trim().split('\n').slice(-4).join(' ')}`);
  };

  return {
    cluster,
    makeFiles: async (kubeconfigs) => {
      await phase('certs all', WITH_OUR_FOLDER);
      for (const name of kubeconfigs) {
        await phase(`kubeconfig ${name}`, WITH_OUR_FOLDER, `--kubeconfig-dir=${root.at(KUBERNETES)}`);
        await useEndpoint(root, `${KUBERNETES}/${name}.conf`, cluster.controlPlaneEndpoint);
      }
      await mkdir(root.at(MANIFESTS), { recursive: true });
      await phase('control-plane all', AS_GIVEN, '--dry-run');
      if (cluster.etcd?.external === undefined) await phase('etcd local', AS_GIVEN, '--dry-run');
    },
    kubeconfigFor: async (user, ...groups) => {
      const of = [`--client-name=${user}`, ...groups.map((group) => `--org=${group}`)];
      const args = ['kubeconfig', 'user', `--config=${root.at(WITH_OUR_FOLDER)}`, ...of];
      return (await execa(program, args, { cancelSignal: signal, timeout: 120_000 })).stdout;
    },
    uploadAll: async () => {
      const asAdmin = `--kubeconfig=${root.at(FIRST_ADMIN)}`;
      await phase('upload-config all', AS_GIVEN, asAdmin);
      await phase('bootstrap-token', AS_GIVEN, asAdmin);
      await phase('addon all', AS_GIVEN, asAdmin);
    },
  };
}

/** Some files name the API server by the address of the machine itself, which is simulated. */
async function useEndpoint(root: RootFolder, path: string, endpoint: string): Promise<void> {
  const text = await root.read(path);
  await root.write(path, text.replace(/server: https:\/\/\S+/, `server: https://${endpoint}`));
}
