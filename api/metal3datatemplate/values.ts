/** Constants of the Metal3DataTemplate API. Importing them loads no other code. */

/** The objects whose name, labels or annotations a template can use. */
export const DATA_OBJECTS = ['machine', 'metal3machine', 'baremetalhost'] as const;

export const POOL_GROUP = 'ipam.metal3.io';
export const POOL_KIND = 'IPPool';

export const BOND_MODES = [
  'balance-rr',
  'active-backup',
  'balance-xor',
  'broadcast',
  'balance-tlb',
  'balance-alb',
  '802.3ad',
] as const;
export const BOND_HASH_POLICIES = ['layer2', 'layer3+4', 'layer2+3'] as const;
export const ETHERNET_TYPES = ['bridge', 'dvs', 'hw_veb', 'hyperv', 'ovs', 'tap', 'vhostuser', 'vif', 'phy'] as const;
export const DEVICE_NAME_PATTERN = '^[a-zA-Z][a-zA-Z0-9._-]*$';
