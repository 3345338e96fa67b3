/** Marks hosts that discovery has created; its value is `true`. */
export const DISCOVERED_LABEL = 'temper.metal3.io/discovered';

export const DISCOVERY_ANNOTATIONS = {
  /** UUID of the node that Ironic has enrolled for the machine. */
  node: 'temper.metal3.io/discovered-node',
  /** Address of the BMC, as the machine reported it. */
  bmcAddress: 'temper.metal3.io/discovered-bmc-address',
} as const;
