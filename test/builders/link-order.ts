import type { LinkOrder } from '../../domain/machine/memory/link.ts';

/** The search for the Node of machine m3m-1 on host-1 in cluster test1. */
export const anyLinkOrder = (change: Partial<LinkOrder> = {}): LinkOrder => ({
  cluster: { namespace: 'metal', name: 'test1' },
  host: { name: 'host-1', uid: 'uid-1' },
  machine: { namespace: 'metal', name: 'm3m-1' },
  providerID: '',
  format: 'names',
  cloudProvider: false,
  labelled: true,
  hostnames: [],
  ...change,
});
