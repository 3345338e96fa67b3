import type { NodeStateJson } from './node-json.ts';

/** States in which Ironic or its agent works on a server. */
const IN_HAND: readonly string[] = [
  'cleaning',
  'clean wait',
  'inspecting',
  'inspect wait',
  'deploying',
  'wait call-back',
  'deleting',
];

/** True for a node that counts against the limit, as upstream counts: virtual media does not load the network. */
export const takesUpSlot = ({ provision_state, boot_interface }: NodeStateJson): boolean =>
  IN_HAND.includes(provision_state) && !(boot_interface ?? '').includes('virtual-media');
