import type { FixtureEndpoints } from '../lab.ts';

/** The one thing in which the lab's Ironic differs from a stock one; said at every start. */
export const WHY_HASHES_ARE_CACHED = [
  "This lab caches Ironic's password hashing. At every access to a BMC the Redfish driver runs 600,000 rounds of PBKDF2",
  'over its password, half a second of CPU each time. That is a pure function, so the lab remembers its answers;',
  'nothing else in Ironic is changed.',
].join('\n');

export const whereItIs = ({ kubeconfig, webUi }: Pick<FixtureEndpoints, 'kubeconfig' | 'webUi'>): string =>
  ['', `kubeconfig   ${kubeconfig}`, `Web UI       ${webUi}/namespaces/default/workflows`, ''].join('\n');
