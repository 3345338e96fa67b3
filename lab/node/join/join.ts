import { z } from 'zod';
import { isAlreadyExists, type Kube, KubeError } from '../../../kube/client.ts';
import { kubeconfigText } from '../../control-plane/kubeconfig.ts';
import { withKube } from '../../control-plane/objects.ts';
import { ADMIN, FIRST_ADMIN, KUBELET, type KubeadmOptions, openKubeadm, PKI } from '../kubeadm.ts';
import {
  clusterConfigurationIn,
  InvalidUserData,
  initForJoin,
  initNodeIn,
  joinConfigurationIn,
  type NodeRegistration,
  readDocuments,
} from '../user-data/kubeadm-config.ts';
import { discover } from './discovery.ts';
import { requestCertificate } from './kubelet-certificate.ts';

const BOOTSTRAP = '/etc/kubernetes/bootstrap-kubelet.conf';

type Documents = ReturnType<typeof readDocuments>;
type Deps = KubeadmOptions & { readonly hostname: string };

/** A machine that has everything it needs to be a Node. */
export interface Member {
  readonly name: string;
  readonly clusterConfiguration: Documents[number];
  readonly registration: NodeRegistration;
  /** Kubernetes version of the cluster. */
  readonly version: string;
}

export interface Joining {
  readonly member: Member;
  /** The steps of kubeadm after the Node exists. */
  finish(): Promise<void>;
}

/** `kubeadm init`: creates a cluster with the CAs that the machine was given. */
export async function initCluster(documents: Documents, deps: Deps): Promise<Joining> {
  const kubeadm = await openKubeadm(documents, deps);
  const registration = initNodeIn(documents);
  const member = memberOf(documents, registration, deps, true);
  await kubeadm.makeFiles(['super-admin', 'admin', 'kubelet', 'controller-manager', 'scheduler']);
  return {
    member,
    finish: async () => {
      await withKube(deps.root.at(FIRST_ADMIN), async (kube) => {
        await allowAdmins(kube);
        await markControlPlane(kube, member.name, registration);
      });
      await kubeadm.uploadAll();
    },
  };
}

/** `kubeadm join`: trusts the cluster only by the token and the hash in the machine's own user data. */
export async function joinCluster(documents: Documents, deps: Deps): Promise<Joining> {
  const { root, signal } = deps;
  const joining = joinConfigurationIn(documents);
  const { server, ca } = await discover(joining.discovery);
  const { token } = joining.discovery.bootstrapToken;
  await root.write(BOOTSTRAP, kubeconfigText({ server, ca, user: { token } }, 'kubelet'));
  await root.write(`${PKI}/ca.crt`, ca);
  const isControlPlane = joining.controlPlane != null;
  return withKube(root.at(BOOTSTRAP), async (kube) => {
    const clusterConfiguration = await readClusterConfiguration(kube);
    const all = initForJoin(clusterConfiguration, documents);
    const member = memberOf(all, joining.nodeRegistration, deps, isControlPlane);
    if (!root.has(KUBELET)) {
      await refuseIfReady(kube, member.name);
      const user = await requestCertificate(kube, member.name, signal);
      await root.write(KUBELET, kubeconfigText({ server, ca, user }, 'kubelet'));
    }
    if (!isControlPlane) return { member, finish: () => Promise.resolve() };
    const kubeadm = await openKubeadm(all, deps);
    await kubeadm.makeFiles(['admin', 'controller-manager', 'scheduler']);
    const mark = (admin: Kube): Promise<void> => markControlPlane(admin, member.name, joining.nodeRegistration);
    return { member, finish: () => withKube(root.at(ADMIN), mark) };
  });
}

function memberOf(
  documents: Documents,
  registration: NodeRegistration,
  { hostname }: Deps,
  isControlPlane: boolean,
): Member {
  const clusterConfiguration = documents.find(({ kind }) => kind === 'ClusterConfiguration') ?? {};
  const { taints: _, ...untainted } = registration;
  return {
    name: registration.name === '' ? hostname.toLowerCase() : registration.name,
    clusterConfiguration,
    // kubeadm itself adds the taint of control planes later.
    registration: isControlPlane ? untainted : registration,
    version: clusterConfigurationIn([clusterConfiguration]).kubernetesVersion,
  };
}

const configSchema = z.object({ data: z.object({ ClusterConfiguration: z.string() }) });

async function readClusterConfiguration(kube: Kube): Promise<Documents[number]> {
  const path = '/api/v1/namespaces/kube-system/configmaps/kubeadm-config';
  const found = await kube.request({ path }).catch((error: unknown) => {
    if (error instanceof KubeError && (error.status === 401 || error.status === 403))
      throw new InvalidUserData(error.message);
    throw error;
  });
  const [document] = readDocuments(configSchema.parse(found).data.ClusterConfiguration);
  if (document === undefined) throw new Error('kubeadm-config has no ClusterConfiguration');
  return document;
}

const nodeSchema = z.object({
  status: z
    .object({ conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]) })
    .prefault({}),
});

async function refuseIfReady(kube: Kube, name: string): Promise<void> {
  const found = nodeSchema.optional().parse(await kube.find(`/api/v1/nodes/${name}`));
  const isReady = found?.status.conditions.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
  if (isReady) throw new InvalidUserData(`the cluster has a Node ${name} already, and it is ready`);
}

const CONTROL_PLANE = 'node-role.kubernetes.io/control-plane';

/** Uses kubeadm's own rights, because a kubelet may not label its Node as control plane. */
async function markControlPlane(kube: Kube, name: string, { taints }: NodeRegistration): Promise<void> {
  const labels = { [CONTROL_PLANE]: '', 'node.kubernetes.io/exclude-from-external-load-balancers': '' };
  await kube.request({
    method: 'PATCH',
    path: `/api/v1/nodes/${name}`,
    contentType: 'application/strategic-merge-patch+json',
    body: { metadata: { labels }, spec: { taints: taints ?? [{ key: CONTROL_PLANE, effect: 'NoSchedule' }] } },
  });
}

/** `kubeadm init` grants rights to its group of administrators with the first administrator, who needs no RBAC. */
async function allowAdmins(kube: Kube): Promise<void> {
  const name = 'kubeadm:cluster-admins';
  const apiGroup = 'rbac.authorization.k8s.io';
  const binding = {
    apiVersion: `${apiGroup}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup, kind: 'Group', name }],
  };
  await kube
    .request({ method: 'POST', path: `/apis/${apiGroup}/v1/clusterrolebindings`, body: binding })
    .catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
}
