import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { isAlreadyExists, type Kube } from '../../kube/client.ts';

const issued = z.object({ status: z.object({ token: z.string() }) });

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
  async function tokenOf(namespace: string, name: string): Promise<string> {
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts`;
    await create(path, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } });
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    return issued.parse(await kube.request({ method: 'POST', path: `${path}/${name}/token`, body })).status.token;
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

  /** A kubeconfig for this account. */
  async function kubeconfigOf(token: string): Promise<string> {
    const admin = parse(await readFile(adminKubeconfig, 'utf8')) as { users: { user: object }[] };
    const users = admin.users.map((user) => ({ ...user, user: { token } }));
    const file = join(tmpdir(), `temper-account-${randomBytes(4).toString('hex')}.kubeconfig`);
    await writeFile(file, stringify({ ...admin, users }), { mode: 0o600 });
    return file;
  }

  return { create, rbacPath, tokenOf, bind, kubeconfigOf };
};
