import type { FixtureEndpoints } from '../lab.ts';

/** The one thing in which the lab's Ironic differs from a stock one; said at every start. */
export const WHY_HASHES_ARE_CACHED = [
  "This lab caches Ironic's password hashing. At every access to a BMC the Redfish driver runs 600,000 rounds of PBKDF2",
  'over its password, half a second of CPU each time. That is a pure function, so the lab remembers its answers;',
  'nothing else in Ironic is changed.',
].join('\n');

export function whatToTry({ kubeconfig, webUi }: Pick<FixtureEndpoints, 'kubeconfig' | 'webUi'>): string {
  const workflow = `${webUi}/namespaces/default/workflows`;
  return [
    '',
    `kubeconfig   ${kubeconfig}`,
    `Web UI       ${workflow}`,
    '',
    'Try, in another terminal:',
    `  kubectl --kubeconfig ${kubeconfig} get bmh --watch`,
    `  kubectl --kubeconfig ${kubeconfig} patch bmh host-4 --type=merge -p '{"spec":{"online":false}}'`,
    `  kubectl --kubeconfig ${kubeconfig} patch bmh host-1 --type=json -p '[{"op":"remove","path":"/spec/image"}]'`,
    '',
  ].join('\n');
}
