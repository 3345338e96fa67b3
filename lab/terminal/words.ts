import type { FixtureEndpoints } from '../lab.ts';
import { linkTo, VIEWS } from './views.ts';

/** The one difference between the lab's Ironic and a stock one; printed at every start. */
export const WHY_HASHES_ARE_CACHED = [
  "This lab caches Ironic's password hashing. At every request to a BMC, the Redfish driver computes 600,000 rounds of PBKDF2",
  'of its password, which takes half a second of CPU. The result depends only on the input, so the lab caches it;',
  'nothing else in Ironic is changed.',
].join('\n');

export const whereItIs = ({ kubeconfig, webUi }: Pick<FixtureEndpoints, 'kubeconfig' | 'webUi'>): string =>
  [
    '',
    `kubeconfig   ${kubeconfig}`,
    `Web UI       ${webUi}/namespaces/default/workflows`,
    ...VIEWS.map((view) => `  ${view.name.padEnd(20)} ${linkTo(webUi, view)}`),
    '',
  ].join('\n');
