import type { NamedReference } from '../../api/meta/references.ts';
import type { Metal3DataSpec } from '../../api/metal3data/schema.ts';
import type { Metal3DataClaimSpec } from '../../api/metal3dataclaim/schema.ts';
import { type FieldProblem, invalid } from '../admission/field-problem.ts';
import type { Judged, Rules } from '../admission/rules.ts';

const FIXED = 'cannot be modified';

const isSameReference = (a: NamedReference = {}, b: NamedReference = {}): boolean =>
  (a.name ?? '') === (b.name ?? '') && (a.namespace ?? '') === (b.namespace ?? '');

export const metal3DataRules: Rules<Judged<Metal3DataSpec>> = {
  created({ metadata: { name }, spec: { index, template } }) {
    const isNamedOtherwise =
      index !== undefined && template !== undefined && name !== `${template.name ?? ''}-${index}`;
    return [
      ...(isNamedOtherwise
        ? [invalid('name', name, 'should follow the convention <Metal3Template Name>-<index>')]
        : []),
      ...(index !== undefined && index < 0 ? [invalid('spec.Index', index, 'must be positive value')] : []),
    ];
  },
  changed: ({ spec: before }, { spec: after }) => [
    ...((before.index ?? 0) === (after.index ?? 0) ? [] : [invalid('spec.Index', after.index, FIXED)]),
    ...(isSameReference(before.template, after.template) ? [] : [invalid('spec.Template', after.template, FIXED)]),
    ...(isSameReference(before.claim, after.claim) ? [] : [invalid('spec.claim', after.claim, FIXED)]),
  ],
};

const ELSEWHERE =
  'must be empty or match the Metal3DataClaim namespace; cross-namespace template references are not allowed';

function namespaceProblems({ metadata, spec }: Judged<Metal3DataClaimSpec>): readonly FieldProblem[] {
  const { namespace = '' } = spec.template ?? {};
  return namespace === '' || namespace === metadata.namespace
    ? []
    : [invalid('spec.template.namespace', namespace, ELSEWHERE)];
}

export const metal3DataClaimRules: Rules<Judged<Metal3DataClaimSpec>> = {
  created: (claim) => [
    ...((claim.spec.template?.name ?? '') === '' ? [invalid('spec.template.name', '', 'must be set')] : []),
    ...namespaceProblems(claim),
  ],
  changed: (before, after) => [
    ...(isSameReference(before.spec.template, after.spec.template)
      ? []
      : [invalid('spec.template', after.spec.template, FIXED)]),
    ...namespaceProblems(after),
  ],
};
