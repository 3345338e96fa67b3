import { parseAddress } from '../../domain/ip-pool/address.ts';
import { addressName } from '../../domain/ip-pool/names.ts';
import type { OpenClaim, PoolSnapshot } from '../../domain/ip-pool/snapshot.ts';
import type { AddressFacts, ClaimFacts } from '../../domain/ip-pool/survey.ts';

/** The pool `lan` with three addresses, and without claims. */
export const aPool = (given: Partial<PoolSnapshot> = {}): PoolSnapshot => ({
  namespace: 'metal',
  name: 'lan',
  uid: 'pool-uid',
  resourceVersion: '1',
  generation: 1,
  creationTimestamp: '2026-01-01T00:00:00Z',
  paused: false,
  spec: { namePrefix: 'p', allocationStrategy: 'sequential', pools: [{ start: '10.0.0.1', end: '10.0.0.3' }] },
  claims: [],
  loose: [],
  inUse: [],
  reserved: [],
  addresses: 0,
  ...given,
});

const claimNamed = (name: string) =>
  ({
    kind: 'IPClaim',
    name,
    uid: `${name}-uid`,
    creationTimestamp: '2026-01-01T00:00:00Z',
    deleting: false,
  }) as const;

/** A claim as the pool's snapshot has it. */
export const anOpenClaim = (name: string, given: Partial<OpenClaim> = {}): OpenClaim => ({
  ...claimNamed(name),
  addresses: [],
  ...given,
});

/** A claim as it was read, with the finalizer of the pool. */
export const aClaim = (name: string, given: Partial<ClaimFacts> = {}): ClaimFacts => ({
  ...claimNamed(name),
  held: true,
  heldByOthers: false,
  ...given,
});

/** The IPAddress that a claim has. */
export function anAddress(text: string, claim: string, given: Partial<AddressFacts> = {}): AddressFacts {
  const address = parseAddress(text) ?? 0n;
  return { kind: 'IPClaim', claim, name: addressName('p', address), address, deleting: false, held: true, ...given };
}
