import { join } from 'node:path';
import type { Lab } from '../lab.ts';

/** Commands to try on a running cluster. */
export function whatToTryOnCluster(name: string, { dir, endpoints }: Pick<Lab, 'dir' | 'endpoints'>): string {
  const kubectl = `kubectl --kubeconfig ${endpoints.kubeconfig}`;
  const own = join(dir, `${name}.kubeconfig`);
  const query = encodeURIComponent('WorkflowId STARTS_WITH "metal3machine/"');
  return [
    '',
    `The cluster ${name} is up. Try, in another terminal:`,
    `  clusterctl --kubeconfig ${endpoints.kubeconfig} get kubeconfig ${name} > ${own}`,
    `  ${kubectl} get secret ${name}-kubeconfig -o jsonpath='{.data.value}' | base64 -d > ${own}   # the same without clusterctl`,
    `  kubectl --kubeconfig ${own} get nodes`,
    `  ${kubectl} scale machinedeployment ${name} --replicas=3`,
    `  ${kubectl} get machines,metal3machines,metal3datas,ipclaims`,
    '',
    `Its machines step by step: ${endpoints.webUi}/namespaces/default/workflows?query=${query}`,
    '',
  ].join('\n');
}
