/** Constants of the Metal3DataTemplate API. Importing them loads no other code. */

export const POOL_GROUP = 'ipam.metal3.io';
export const POOL_KIND = 'IPPool';
