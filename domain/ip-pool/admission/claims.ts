import type { IpAddress, IpClaim } from '../../../api/ipam/schema.ts';
import { type FieldProblem, invalid } from '../../admission/field-problem.ts';
import type { Judged, Rules } from '../../admission/rules.ts';
import { addressProblems, requestProblems } from './ip-text.ts';

const FIXED = 'cannot be modified';
const EMPTY = 'cannot be empty';

interface Reference {
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly kind?: string | undefined;
}

const isSame = (a: Reference = {}, b: Reference = {}): boolean =>
  (['name', 'namespace', 'kind'] as const).every((key) => (a[key] ?? '') === (b[key] ?? ''));

const fixed = (field: string, before: Reference | undefined, after: Reference | undefined): readonly FieldProblem[] =>
  isSame(before, after) ? [] : [invalid(field, after, FIXED)];

const named = (field: string, reference: Reference | undefined): readonly FieldProblem[] =>
  (reference?.name ?? '') === '' ? [invalid(`${field}.name`, '', EMPTY)] : [];

export const ipClaimRules: Rules<Judged<Partial<IpClaim['spec']>>> = {
  created: ({ spec, annotations }) => [...named('spec.pool', spec.pool), ...requestProblems(annotations)],
  changed: ({ spec: before }, { spec: after, annotations }) => [
    ...fixed('spec.pool', before.pool, after.pool),
    ...requestProblems(annotations),
  ],
};

export const ipAddressRules: Rules<Judged<Partial<IpAddress['spec']>>> = {
  created: ({ spec: { pool, claim, address = '' }, annotations }) => [
    ...named('spec.pool', pool),
    ...named('spec.claim', claim),
    ...(address === '' ? [invalid('spec.address', address, EMPTY)] : addressProblems('spec.address', address)),
    ...requestProblems(annotations),
  ],
  changed: ({ spec: before }, { spec: after }) => [
    ...((before.address ?? '') === (after.address ?? '') ? [] : [invalid('spec.address', after.address, FIXED)]),
    ...fixed('spec.pool', before.pool, after.pool),
    ...fixed('spec.claim', before.claim, after.claim),
  ],
};
