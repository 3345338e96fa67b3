import { ageOf } from '../clock.ts';
import { toSeconds } from '../entity/conditions.ts';
import type { Operator } from './operators.ts';
import { FRESH_MS, type LeaseSeen } from './running.ts';

/** An operator of Metal3 that runs beside Temper, and the objects that Temper leaves to it. */
export interface Beside {
  readonly operator: Operator;
  /** Absent: everywhere. */
  readonly namespace?: string;
  /** What shows that it runs. */
  readonly sign: string;
}

/** The last write of a status by an operator in a namespace; `at` in ms. */
export interface StatusWrite {
  readonly operator: Operator;
  readonly namespace: string;
  readonly at: number;
}

/** What shows that operators run. */
export interface Signs {
  /** Those that somebody else than Temper holds. */
  readonly leases: readonly LeaseSeen[];
  readonly writes: readonly StatusWrite[];
  /** Namespaces with objects of its kinds. */
  readonly placesOf: (operator: Operator) => ReadonlySet<string>;
}

/**
 * The operators that run. A Lease in a namespace that has objects counts for this namespace alone: whoever may create
 * Leases there must not stop the work in other namespaces.
 */
export function besides(
  operators: readonly Operator[],
  { leases, writes, placesOf }: Signs,
  now: number,
): readonly Beside[] {
  return operators.flatMap((operator) => {
    const held = leases.filter(({ name }) => name === operator.lease);
    // All objects are looked through, but once, and only beside a Lease.
    const places = held.length === 0 ? undefined : placesOf(operator);
    return [
      ...held.map(({ namespace, name, holder }) => ({
        operator,
        ...(places?.has(namespace) && { namespace }),
        sign: `${holder} holds the Lease ${namespace}/${name}`,
      })),
      ...writes
        .filter((write) => write.operator === operator && ageOf(write.at, now) < FRESH_MS)
        .map(({ namespace, at }) => ({
          operator,
          namespace,
          sign: `it has written a status in namespace ${namespace} at ${toSeconds(at)}`,
        })),
    ];
  });
}

/** The writes that still count, with one more; the last one of each operator in each namespace. */
export function withWrite(writes: readonly StatusWrite[], write: StatusWrite, now: number): readonly StatusWrite[] {
  const isOfSame = ({ operator, namespace }: StatusWrite): boolean =>
    operator === write.operator && namespace === write.namespace;
  const others = writes.filter((each) => !isOfSame(each) && ageOf(each.at, now) < FRESH_MS);
  return [...others, { ...write, at: Math.max(write.at, ...writes.filter(isOfSame).map(({ at }) => at)) }];
}

/** The operator that cares for objects of this group in this namespace; undefined: none but Temper. */
export type BesideIn = (group: string, namespace: string) => Beside | undefined;

/** For many questions: there may be thousands of namespaces, each with its own sign. */
export function besideIn(all: readonly Beside[]): BesideIn {
  const placeOf = (group: string, namespace = ''): string => `${group}/${namespace}`;
  // The first sign counts.
  const places = new Map(all.toReversed().map((each) => [placeOf(each.operator.group, each.namespace), each]));
  return (group, namespace) => places.get(placeOf(group)) ?? places.get(placeOf(group, namespace));
}

/** Begins each text that says why Temper does nothing with an object. */
const BEGINNING = 'Temper leaves the object alone: ';
/** Finds such a text in others. */
export const LEFT_ALONE_WORDS = /Temper leaves the object alone: .+/;

/** The value of the pause annotation on objects that are left to another operator, in the cache of the bridge alone. */
export const isLeftAlone = (pause: string | undefined): pause is string => pause?.startsWith(BEGINNING) ?? false;

/** For a host whose status another operator has just written. */
export const writtenInWords = ({ name }: Operator): string =>
  `${BEGINNING}${name} has written its status in the last minutes`;

/** The same sentence as long as it is the same operator: it stands in Events. */
export const inWords = ({ operator: { name }, namespace }: Omit<Beside, 'sign'>): string =>
  `${BEGINNING}${name} runs, too${namespace === undefined ? '' : `, in namespace ${namespace}`}`;
