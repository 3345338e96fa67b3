import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import type { Kube } from '../../kube/client.ts';
import { tokenOf } from '../../lab/control-plane/account.ts';
import { type Manifest, readManifestFile } from '../../lab/control-plane/manifest.ts';
import { applyObject, createPaths } from '../../lab/control-plane/objects.ts';
import { ACCOUNTS, HOME, MANIFESTS, type Program } from '../../lab/rights.ts';
import { NODE_FLAGS } from '../../platform/node-flags.ts';
import { accountsOf } from './accounts.ts';

const ONE_NAMESPACE = fileURLToPath(
  new URL('../../deploy/kubernetes/components/one-namespace/roles.yaml', import.meta.url),
);

/** Gives bridge and workers their rights in this namespace alone, and returns kubeconfigs with their accounts. */
export async function programsIn(
  kube: Kube,
  adminKubeconfig: string,
  namespace: string,
): Promise<Readonly<Record<Program, string>>> {
  const pathsOf = createPaths(kube);
  // A binding for all namespaces would give the tests of `one-namespace` more than they should have.
  const everywhere = MANIFESTS.flatMap((file) => readManifestFile(file)).filter(
    ({ kind }) => kind !== 'ClusterRoleBinding' && kind !== 'RoleBinding' && kind !== 'Role',
  );
  const here = movedTo(namespace, readManifestFile(ONE_NAMESPACE));
  for (const object of [...everywhere, ...here]) await applyObject(kube, (await pathsOf(object)).object, object);
  const kubeconfig = async (program: Program): Promise<string> =>
    accountsOf(kube, adminKubeconfig).kubeconfigOf(await tokenOf(kube, { namespace: HOME, name: ACCOUNTS[program] }));
  return { bridge: await kubeconfig('bridge'), workers: await kubeconfig('workers') };
}

/** For another namespace than `metal3`, with a ClusterRole of its own, because test files run side by side. */
const movedTo = (namespace: string, objects: readonly Manifest[]): readonly Manifest[] =>
  JSON.parse(
    JSON.stringify(objects)
      .replaceAll('"metal3"', `"${namespace}"`)
      .replaceAll('"temper-definitions-', `"${namespace}-definitions-`),
  ) as readonly Manifest[];

const MAINS: Readonly<Record<Program, string>> = {
  bridge: '../../k8s-bridge/main.ts',
  workers: '../../workers/main.ts',
};

/** Starts one of them with leader election, and with these settings alone. */
export function startProgram(program: Program, env: Readonly<Record<string, string>>) {
  const { PATH = '' } = process.env;
  const main = fileURLToPath(new URL(MAINS[program], import.meta.url));
  return execa(process.execPath, [...NODE_FLAGS[program], main, '-enable-leader-election'], {
    env: { PATH, ...env },
    extendEnv: false,
    reject: false,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
