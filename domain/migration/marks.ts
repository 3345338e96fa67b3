import type { Kind } from '../../api/kind.ts';
import { ALL_KINDS } from '../../api/kinds.ts';
import { PASSING_CONDITIONS } from '../entity/conditions.ts';
import { STUCK } from '../usual-times/stuck.ts';

/** What Temper, and the operators of Metal3 before it, keep on the objects of a kind. */
export interface Marks {
  readonly finalizers: readonly string[];
  /** Types of the conditions that follow the object; absent: its kind has none. */
  readonly conditions?: readonly string[];
}

/** The name of the kind's CRD; for kinds of the core group, the plural. */
const nameOf = ({ apiVersion, plural }: Kind): string =>
  apiVersion.includes('/') ? `${plural}.${apiVersion.split('/')[0] ?? ''}` : plural;

/** By the name of the CRD. */
export const MARKS: Readonly<Record<string, Marks>> = Object.fromEntries(
  ALL_KINDS.flatMap((kind): readonly (readonly [string, Marks])[] => {
    const { finalizers, conditions } = kind;
    return finalizers === undefined ? [] : [[nameOf(kind), { finalizers, ...(conditions && { conditions }) }]];
  }),
);

/** Types of the conditions that Temper alone knows. */
export const OWN_CONDITIONS: readonly string[] = [...PASSING_CONDITIONS, STUCK];
