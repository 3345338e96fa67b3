import { ACTUATOR_FINALIZER } from '../../api/machine-api/kind.ts';
import type { OPERATORS } from '../other-operators/operators.ts';
import { MARKS, OWN_CONDITIONS } from './marks.ts';

type Part = (typeof OPERATORS)[number]['part'];

/** How far objects are cleaned. */
export interface Cleaning {
  /** What the Temper that goes has cared for. */
  readonly parts: readonly Part[];
  /** What operators of Metal3 care for, now or soon: they use the same finalizers. */
  readonly left: readonly Part[];
}

/** An object with what Temper may have put on it. */
export interface Cleanable {
  readonly finalizers: readonly string[];
  readonly annotations: Readonly<Record<string, string>>;
  readonly conditions: readonly { readonly type: string }[];
}

/** What remains of each; absent: nothing is taken off. */
export interface Cleaned<Condition> {
  readonly finalizers?: readonly string[];
  /** null removes. */
  readonly annotations?: Readonly<Record<string, null>>;
  readonly conditions?: readonly Condition[];
}

/** What to take off an object of this CRD, so that nothing waits for Temper any more; undefined: nothing. */
export function cleaned<Object extends Cleanable>(
  crd: string,
  { finalizers, annotations, conditions }: Object,
  cleaning: Cleaning,
): Cleaned<Object['conditions'][number]> | undefined {
  const known = MARKS[crd]?.finalizers ?? [];
  const kept = finalizers.filter((each) => !known.includes(each) || !isTaken(each, cleaning));
  const others = conditions.filter(({ type }) => !OWN_CONDITIONS.includes(type));
  const own = Object.keys(annotations).filter(isOwnAnnotation);
  const result = {
    ...(kept.length < finalizers.length && { finalizers: kept }),
    ...(own.length > 0 && { annotations: Object.fromEntries(own.map((key) => [key, null])) }),
    ...(others.length < conditions.length && { conditions: others }),
  };
  return Object.keys(result).length === 0 ? undefined : result;
}

function isTaken(finalizer: string, { parts, left }: Cleaning): boolean {
  const part = partOf(finalizer);
  return finalizer === ACTUATOR_FINALIZER || (parts.includes(part) && !left.includes(part));
}

/** One object may be kept by several parts: a claim for an address by its data and by its pool. */
function partOf(finalizer: string): Part {
  if (finalizer.endsWith('infrastructure.cluster.x-k8s.io')) return 'machines';
  return finalizer.includes('ipam.metal3.io') ? 'addresses' : 'hosts';
}

const isOwnAnnotation = (key: string): boolean => key.startsWith('temper/') || key.startsWith('temper.metal3.io/');
