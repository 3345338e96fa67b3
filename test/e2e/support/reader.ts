import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { clusterExplanation } from '../../../cli/explain/cluster.ts';
import { explanationOf } from '../../../cli/explain/explain.ts';
import { createReading } from '../../../cli/reading.ts';
import { connectKube, type Kube } from '../../../kube/client.ts';
import { kubeconfigWith, tokenOf } from '../../../lab/control-plane/account.ts';
import { HOME } from '../../../lab/rights.ts';
import { type AnyLab, kubectl, NAMESPACE } from './hosts.ts';

const READER = 'reader';

/** Somebody who may read objects alone. */
export interface Reader {
  readonly kube: Kube;
  readonly kubeconfig: string;
}

/**
 * Gives a service account the role `temper-reader` in the namespace of the file; its kubeconfig is put into the folder.
 */
export async function aReader(lab: AnyLab, folder: string): Promise<Reader> {
  await kubectl(lab, ['apply', '-f', 'deploy/kubernetes/reader-role.yaml']);
  await kubectl(lab, ['-n', NAMESPACE, 'create', 'serviceaccount', READER]);
  const account = `--serviceaccount=${NAMESPACE}:${READER}`;
  await kubectl(lab, ['-n', NAMESPACE, 'create', 'rolebinding', READER, '--clusterrole=temper-reader', account]);
  const kubeconfig = join(folder, 'reader.kubeconfig');
  const token = await tokenOf(lab.kube, { namespace: NAMESPACE, name: READER });
  await writeFile(kubeconfig, await kubeconfigWith(token, lab.endpoints.kubeconfig));
  return { kubeconfig, kube: connectKube(kubeconfig) };
}

/** The ids of the causes that `temper explain` shows to the reader, the most important first. */
export async function causesOf(
  { kube }: Reader,
  kind: 'host' | 'machine' | 'cluster',
  name: string,
): Promise<readonly string[]> {
  const asked = { kind, name, namespace: NAMESPACE, bridgeNamespace: HOME };
  const reading = createReading(kube);
  const found =
    kind === 'cluster'
      ? await clusterExplanation(reading, asked, HOME, Date.now())
      : await explanationOf({ ...asked, kind }, reading, undefined, Date.now());
  return (found?.causes ?? []).map(({ id }) => id);
}
