import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isAlreadyExists, type Kube } from '../../kube/client.ts';
import { kubeconfigWith, tokenOf } from '../../lab/control-plane/account.ts';

/** Service accounts, their rights, and kubeconfigs for them; existing ones are not changed. */
export const accountsOf = (kube: Kube, adminKubeconfig: string) => {
  const rbacPath = ({ kind }: { readonly kind: string }): string =>
    `/apis/rbac.authorization.k8s.io/v1/${kind === 'ClusterRole' ? 'clusterroles' : 'clusterrolebindings'}`;

  async function create(path: string, body: unknown): Promise<void> {
    await kube.request({ method: 'POST', path, body }).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
  }

  /** A token of a service account, which is created if needed. */
  async function issue(namespace: string, name: string): Promise<string> {
    const body = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } };
    await create(`/api/v1/namespaces/${namespace}/serviceaccounts`, body);
    return tokenOf(kube, { namespace, name });
  }

  /** Binds an account to a role, which is created if a rule is given. */
  async function bind(namespace: string, account: string, role: string, rule?: object): Promise<void> {
    const apiVersion = 'rbac.authorization.k8s.io/v1';
    const kind = 'ClusterRole';
    if (rule !== undefined) {
      await create(rbacPath({ kind }), { apiVersion, kind, metadata: { name: role }, rules: [rule] });
    }
    await create(rbacPath({ kind: 'ClusterRoleBinding' }), {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: { name: `${namespace}-${account}-${role}` },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: role },
      subjects: [{ kind: 'ServiceAccount', name: account, namespace }],
    });
  }

  /** A kubeconfig for this account, beside that of the administrator, with which it is deleted. */
  async function kubeconfigOf(token: string): Promise<string> {
    const file = join(dirname(adminKubeconfig), `account-${randomBytes(4).toString('hex')}.kubeconfig`);
    await writeFile(file, await kubeconfigWith(token, adminKubeconfig), { mode: 0o600 });
    return file;
  }

  return { create, rbacPath, tokenOf: issue, bind, kubeconfigOf };
};
