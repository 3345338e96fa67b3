import { z } from 'zod';
import { ANNOTATIONS } from '../../api/baremetalhost/values.ts';
import { CLUSTER_ANNOTATIONS, groupOf } from '../../domain/cluster-api/names.ts';
import {
  type Beside,
  besideIn,
  besides,
  inWords,
  type StatusWrite,
  withWrite,
} from '../../domain/other-operators/beside.ts';
import type { Operator } from '../../domain/other-operators/operators.ts';
import { freshWrite, isHeldByAnother, type LeaseSeen } from '../../domain/other-operators/running.ts';
import type { Kube } from '../../kube/client.ts';
import { type FollowedKind, KINDS } from '../../kube/kinds.ts';
import { isObject } from '../../kube/merge-patch.ts';
import { managedEntries } from '../../kube/objects/managed.ts';
import { leasesNamed } from '../../kube/other-operators.ts';
import { keyOf } from '../../kube/reflector.ts';
import type { Entry, Store } from '../../kube/store.ts';
import type { Around } from '../around.ts';

export interface BesideDeps extends Pick<Around, 'log' | 'record' | 'now'> {
  readonly kube: Pick<Kube, 'request'>;
  readonly store: Pick<Store, 'values' | 'put'>;
  /** Those whose work this bridge does. */
  readonly operators: readonly Operator[];
  /** Empty: all. */
  readonly namespaces: readonly string[];
}

/**
 * Leaves the objects of other operators that run alone. In the cache such an object has the pause annotation of its
 * kind, so the bridge treats it as one that a person has paused, and so does its run. The object itself is not changed.
 */
export interface BesideOthers {
  /** Lists the Leases of other operators. Nothing is left alone before the first look. */
  readonly look: () => Promise<void>;
  /** Notes a fresh status write of another operator, by the object's managedFields. */
  readonly received: (kind: FollowedKind, entry: Entry, object: unknown) => void;
  /** The entry for the cache. */
  readonly stored: (kind: FollowedKind, entry: Entry) => Entry;
  /** Why objects of this kind or group are left alone in a namespace; undefined: they are not. */
  readonly why: (kind: { readonly apiVersion: string }, namespace: string) => string | undefined;
  /** For /readyz: operators to which all objects of their kinds are left. */
  readonly warnings: readonly string[];
}

/** An object with the annotation. */
interface Left {
  /** Without it. */
  readonly received: object;
  readonly why: string;
}

const KEPT = Object.values(KINDS);
const anyObject = z.object({ metadata: z.looseObject({ annotations: z.record(z.string(), z.unknown()).optional() }) });

export function createBesideOthers({ kube, store, operators, namespaces, log, record, now }: BesideDeps): BesideOthers {
  /** Those that others held at the last look that succeeded. */
  let leases: readonly LeaseSeen[] = [];
  /** When each Lease was renewed, at the last look. */
  let renewals: ReadonlyMap<string, number> = new Map();
  let writes: readonly StatusWrite[] = [];
  let all: readonly Beside[] = [];
  let find = besideIn(all);
  let hasLooked = false;

  function* entriesOf({ group }: Operator): Iterable<readonly [FollowedKind, Entry]> {
    for (const kind of KEPT)
      if (groupOf(kind.apiVersion) === group) for (const entry of store.values(kind)) yield [kind, entry];
  }
  const placesOf = (operator: Operator): ReadonlySet<string> =>
    new Set([...entriesOf(operator)].map(([, { namespace }]) => namespace));

  const left = new WeakMap<object, Left>();
  const leftIn = ({ object }: Entry): Left | undefined => (isObject(object) ? left.get(object) : undefined);
  const withPause = (kind: FollowedKind, entry: Entry, why: string | undefined): Entry => {
    const object = leftIn(entry)?.received ?? entry.object;
    if (!isObject(object) || why === undefined) return { ...entry, object };
    const { metadata } = anyObject.parse(object);
    const paused = {
      ...object,
      metadata: { ...metadata, annotations: { ...metadata.annotations, [pauseOf(kind)]: why } },
    };
    left.set(paused, { received: object, why });
    return { ...entry, object: paused };
  };
  const whyIn = ({ apiVersion }: { readonly apiVersion: string }, namespace: string): string | undefined => {
    const found = find(groupOf(apiVersion), namespace);
    return found && inWords(found);
  };

  /** Judges the signs anew, and changes the cached objects that are left alone from now on, or are not any more. */
  const judge = (): void => {
    const before = all;
    all = besides(operators, { leases, writes, placesOf }, now());
    find = besideIn(all);
    tell(before, all);
    const isIdle = before.length === 0 && all.length === 0;
    for (const operator of operators) {
      const value = isIdle ? 0 : pausedOf(operator);
      record({ name: 'temper_objects_left_alone', labels: { operator: operator.name }, value });
    }
  };
  /** How many objects of the operator are left to it. */
  const pausedOf = (operator: Operator): number => {
    let count = 0;
    for (const [kind, entry] of entriesOf(operator)) {
      const why = whyIn(kind, entry.namespace);
      if (why !== undefined) count += 1;
      if (why !== leftIn(entry)?.why) store.put(kind, withPause(kind, entry, why));
    }
    return count;
  };

  const tell = (before: readonly Beside[], after: readonly Beside[]): void => {
    const [told, still] = [before, after].map((of) => new Set(of.map(inWords)));
    for (const each of after)
      if (!told?.has(inWords(each)))
        log.error(fieldsOf(each), 'another operator runs as well: its objects are left alone (docs/migration.md)');
    for (const each of before)
      if (!still?.has(inWords(each)))
        log.info(fieldsOf(each), 'another operator has ended: its objects are not left alone any more');
  };

  return {
    async look() {
      const places = namespaces.length === 0 ? [undefined] : namespaces;
      try {
        const found = await Promise.all(
          operators.flatMap(({ lease }) => places.map((namespace) => leasesNamed(kube, lease, namespace))),
        );
        leases = found.flat().filter((lease) => isHeldByAnother(lease, now(), renewals.get(keyOf(lease))));
        renewals = new Map(found.flat().map((lease) => [keyOf(lease), lease.renewedAt]));
      } finally {
        // An operator does not end because its Lease can't be read.
        hasLooked = true;
        judge();
      }
    },
    received({ apiVersion }, { namespace }, object) {
      const group = groupOf(apiVersion);
      const operator = operators.find((each) => each.group === group);
      if (operator === undefined) return;
      const at = freshWrite(managedEntries(object), operator, now());
      if (at === undefined) return;
      writes = withWrite(writes, { operator, namespace, at }, now());
      if (hasLooked && find(group, namespace) === undefined) judge();
    },
    stored: (kind, entry) => withPause(kind, entry, whyIn(kind, entry.namespace)),
    why: whyIn,
    get warnings() {
      const everywhere = operators.map((operator) =>
        all.find((each) => each.operator === operator && isEverywhere(each)),
      );
      return everywhere.filter((each) => each !== undefined).map(readyLine);
    },
  };
}

const fieldsOf = ({ operator, namespace, sign }: Beside): object => ({
  operator: operator.name,
  ...(namespace !== undefined && { namespace }),
  sign,
});

const isEverywhere = ({ namespace }: Beside): boolean => namespace === undefined;

const readyLine = (beside: Beside): string =>
  `${inWords(beside)} (${beside.sign}): two operators must not change the same objects. Stop it, as docs/migration.md says`;

/** The annotation by which people pause objects of this kind. */
const pauseOf = (kind: FollowedKind): string =>
  kind.apiVersion === KINDS.host.apiVersion ? ANNOTATIONS.paused : CLUSTER_ANNOTATIONS.paused;
