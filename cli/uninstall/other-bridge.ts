import { setTimeout as sleep } from 'node:timers/promises';
import { FRESH_MS, LEASES, type LeaseSeen } from '../../domain/other-operators/running.ts';
import type { Kube } from '../../kube/client.ts';
import { leasesNamed } from '../../kube/other-operators.ts';
import { keyOf } from '../../kube/reflector.ts';

const LOOK_MS = 1_000;

/** Where bridges may run. */
interface Known {
  /** Pods that are going to be stopped. */
  readonly pods: readonly string[];
  /** Namespaces of other Tempers, whose objects are left alone. */
  readonly staying: readonly string[];
}

/**
 * Which bridge of Temper runs in another place, in words; undefined: none. A Lease whose bridge was killed looks like one
 * that is held, and the clock of its holder may be wrong: so the Leases are watched for as long as they last.
 */
export async function otherBridge(
  kube: Pick<Kube, 'request'>,
  { pods, staying }: Known,
  aside: (text: string) => void,
): Promise<string | undefined> {
  // A released Lease may be taken by a bridge that waits for it; while our Pods run, by one of them.
  const mayBeOfOther = ({ namespace, holder, isTempers }: LeaseSeen): boolean =>
    !staying.includes(namespace) && (holder === '' ? pods.length === 0 : isTempers && !pods.includes(holder));
  const look = async (): Promise<readonly LeaseSeen[]> =>
    (await Promise.all(Object.values(LEASES).map((name) => leasesNamed(kube, name)))).flat().filter(mayBeOfOther);

  const first = await look();
  if (first.length === 0) return undefined;
  const before = new Map(first.map((lease) => [keyOf(lease), lease]));
  const isRenewed = (lease: LeaseSeen): boolean => {
    const known = before.get(keyOf(lease));
    const isSame = known?.holder === lease.holder && Object.is(known.renewedAt, lease.renewedAt);
    return lease.isTempers && !isSame;
  };
  const watchedMs = Math.max(...first.map(({ durationMs }) => Math.min(durationMs, FRESH_MS)));
  const names = [...before.keys()].join(', ');
  aside(`watching for ${Math.ceil(watchedMs / 1_000)} s whether a bridge renews Leases: ${names}`);
  const deadline = Date.now() + watchedMs;
  while (Date.now() < deadline) {
    await sleep(LOOK_MS);
    const renewed = (await look()).find(isRenewed);
    if (renewed !== undefined) return `${renewed.holder} renews the Lease ${keyOf(renewed)}`;
  }
  return undefined;
}
