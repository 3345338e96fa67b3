import { isDue, stillGiven } from '../allocation/memory.ts';
import { parseAddress } from './address.ts';
import { type Allocation, createAllocator, type RefusalReason } from './allocate.ts';
import type { PoolMemory } from './memory.ts';
import type { ClaimRef, LooseAddress, OpenClaim } from './snapshot.ts';
import { byAge } from './survey.ts';

/** One task for one claim. */
export type AddressTask =
  /** Creates its IPAddress, unless it exists, and shows it in the claim's status. */
  | { readonly kind: 'give'; readonly claim: ClaimRef; readonly allocation: Allocation }
  /** Shows the IPAddress that the claim has already. */
  | { readonly kind: 'show'; readonly claim: ClaimRef; readonly name: string }
  /**
   * Deletes its IPAddresses and removes the finalizer of the claim. `names`: the IPAddresses as far as they are known.
   */
  | { readonly kind: 'release'; readonly claim: ClaimRef; readonly names: readonly string[] }
  /** Shows in the claim's status why it gets no address. */
  | { readonly kind: 'refuse'; readonly claim: ClaimRef; readonly reason: RefusalReason; readonly message: string }
  /** Deletes an IPAddress that no claim uses. */
  | { readonly kind: 'let go'; readonly loose: LooseAddress };

export const taskKeyOf = (task: AddressTask): string => (task.kind === 'let go' ? task.loose.name : task.claim.uid);

/** All tasks that can be done now, for all claims. */
export function decide(memory: PoolMemory, now: number): readonly AddressTask[] {
  const { seen, done } = memory;
  const open = seen.claims.filter(({ uid }) => isDue(memory, uid, now));
  return [
    ...open
      .filter(({ deleting, uid }) => deleting && done[uid] !== 'released')
      .map((claim) => releaseOf(claim, memory)),
    ...seen.loose
      .filter(({ name }) => done[name] === undefined && isDue(memory, name, now))
      .map((loose): AddressTask => ({ kind: 'let go', loose })),
    ...answersTo(
      open.filter(({ deleting, uid }) => !deleting && done[uid] !== 'allocated'),
      memory,
      now,
    ),
  ];
}

function answersTo(claims: readonly OpenClaim[], memory: PoolMemory, now: number): readonly AddressTask[] {
  if (claims.length === 0) return [];
  const { seen, refused, done } = memory;
  const given = stillGiven(memory.allocated, now).map(({ address }) => address);
  const allocate = createAllocator({ ...seen, inUse: [...seen.inUse, ...given, ...refused] });
  return claims.toSorted(byAge).flatMap((open): readonly AddressTask[] => {
    const claim = refOf(open);
    const [existing] = open.addresses;
    if (existing !== undefined) return [{ kind: 'show', claim, name: existing.name }];
    const answer = allocate(open);
    if (answer.kind === 'given') {
      const { kind: _, ...allocation } = answer;
      return [{ kind: 'give', claim, allocation }];
    }
    const { reason, message } = answer;
    // The next snapshot has other free addresses.
    if (seen.isPart && reason === 'PoolExhausted' && !open.requested) return [];
    const was = done[open.uid];
    const isTold = (typeof was === 'object' ? was.message : open.error) === message;
    return isTold ? [] : [{ kind: 'refuse', claim, reason, message }];
  });
}

function releaseOf(open: OpenClaim, { allocated }: PoolMemory): AddressTask {
  const unseen = allocated.filter(({ uid }) => uid === open.uid);
  const names = [...new Set([...open.addresses, ...unseen].map(({ name }) => name))];
  return { kind: 'release', claim: refOf(open), names };
}

const refOf = ({ kind, name, uid }: OpenClaim): ClaimRef => ({ kind, name, uid });

/** The number of an address, as it is in a task. */
export const numberOf = ({ address }: Pick<Allocation, 'address'>): bigint => parseAddress(address) ?? 0n;
