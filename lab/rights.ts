import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { kubeconfigWith, tokenOf } from './control-plane/account.ts';
import { readManifestFile } from './control-plane/manifest.ts';
import { applyObject, createPaths, withKube } from './control-plane/objects.ts';

/** The namespace of bridge and workers. */
export const HOME = 'temper-system';
export const ACCOUNTS = { bridge: 'temper-bridge', workers: 'temper-workers' } as const;
export type Program = keyof typeof ACCOUNTS;

/** Paths of kubeconfigs with these accounts. */
export type AccountKubeconfigs = Readonly<Record<Program, string>>;

/** Paths of the kubeconfigs in a lab's folder. */
export const credentialsIn = (dir: string): AccountKubeconfigs => ({
  bridge: join(dir, 'bridge.kubeconfig'),
  workers: join(dir, 'workers.kubeconfig'),
});

/** Paths of the manifests with the accounts and their roles. */
export const MANIFESTS: readonly string[] = [
  'base/namespace.yaml',
  'base/bridge-roles.yaml',
  'base/workers-roles.yaml',
  'base/addresses-roles.yaml',
  'base/approvals.yaml',
  'base/accounts.yaml',
  'components/approvals-by-message/roles.yaml',
  'components/self-managed/roles.yaml',
  'components/fixture/roles.yaml',
  'components/discovery/roles.yaml',
  'components/machine-api/approvals.yaml',
  'components/machine-api/roles.yaml',
].map((file) => fileURLToPath(new URL(`../deploy/kubernetes/${file}`, import.meta.url)));

/**
 * Creates the accounts of bridge and workers with the rights of an installation with self-managed certificates, and
 * with those for the fixture and for discovery; returns their credentials. `server`: the URL at which they reach the API
 * server, when it is another one than the administrator's.
 */
export const grantRights = (adminKubeconfig: string, dir: string, server?: string): Promise<AccountKubeconfigs> =>
  withKube(adminKubeconfig, async (kube) => {
    const pathsOf = createPaths(kube);
    for (const object of MANIFESTS.flatMap((file) => readManifestFile(file)))
      await applyObject(kube, (await pathsOf(object)).object, object);
    const files = credentialsIn(dir);
    for (const [program, name] of Object.entries(ACCOUNTS) as [Program, string][]) {
      const token = await tokenOf(kube, { namespace: HOME, name });
      await writeFile(files[program], await kubeconfigWith(token, adminKubeconfig, server), { mode: 0o600 });
    }
    return files;
  });
