import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { KUBERNETES } from '../node/kubeadm.ts';
import { type RootFolder, rootFolder } from '../node/root-folder.ts';
import { HOST, type KubeletNode, PODS } from './addresses.ts';
import { cgroupOf } from './cgroups.ts';
import { NODE_FOLDERS, VAR } from './namespaces.ts';
import { PAUSE } from './pause.ts';

/** Paths on the node. */
const CNI = `${KUBERNETES}/cni`;
const CONTAINERD_SOCKET = '/run/containerd/containerd.sock';
export const CONTAINERD_CONFIG = `${KUBERNETES}/containerd.toml`;
export const KUBELET_CONFIG = `${KUBERNETES}/kubelet.yaml`;
export const PROXY_CONFIG = `${KUBERNETES}/kube-proxy.yaml`;
export const PROXY_KUBECONFIG = `${KUBERNETES}/kube-proxy.conf`;

/** Creates the folder of a node, with the settings of its programs. */
export async function makeNodeFolder(folder: string, node: KubeletNode): Promise<RootFolder> {
  for (const part of [...NODE_FOLDERS, `${VAR}/lib`, `${VAR}/log`, `${VAR}/tmp`])
    await mkdir(join(folder, part), { recursive: true });
  await symlink('/run', join(folder, VAR, 'run'));
  const root = rootFolder(folder);
  await root.write(CONTAINERD_CONFIG, CONTAINERD);
  await root.write(`${CNI}/pods.conflist`, podNetwork(node));
  await root.write(KUBELET_CONFIG, kubelet(node));
  await root.write(PROXY_CONFIG, proxy(node));
  return root;
}

const CONTAINERD = `version = 2
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${PAUSE}"
  # Lower values need CAP_SYS_RESOURCE, which root may lack in a virtual machine.
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "${CNI}"
`;

/** A link for each Pod, so that all its traffic passes the rules of kube-proxy, also that to Pods of the same node. */
const podNetwork = ({ pods }: KubeletNode): string =>
  JSON.stringify({
    cniVersion: '1.0.0',
    name: 'pods',
    plugins: [
      {
        type: 'ptp',
        ipam: { type: 'host-local', ranges: [[{ subnet: pods }]], routes: [{ dst: '0.0.0.0/0' }] },
      },
    ],
  });

const kubelet = (node: KubeletNode): string =>
  stringify({
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: `${KUBERNETES}/pki/ca.crt` },
    },
    authorization: { mode: 'Webhook' },
    cgroupDriver: 'cgroupfs',
    cgroupRoot: `/${cgroupOf(node)}`,
    failCgroupV1: false,
    clusterDNS: [HOST],
    clusterDomain: 'cluster.local',
    containerRuntimeEndpoint: `unix://${CONTAINERD_SOCKET}`,
    resolvConf: '',
    // It writes no setting of the kernel, and stops when one has another value.
    protectKernelDefaults: true,
    failSwapOn: false,
    // The disk is that of the computer, which may be almost full.
    evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '1%', 'imagefs.available': '1%' },
    imageGCHighThresholdPercent: 100,
  });

const proxy = ({ name }: KubeletNode): string =>
  stringify({
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    clientConnection: { kubeconfig: PROXY_KUBECONFIG },
    mode: 'iptables',
    clusterCIDR: PODS,
    hostnameOverride: name,
    // The limits belong to the whole computer.
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
  });
