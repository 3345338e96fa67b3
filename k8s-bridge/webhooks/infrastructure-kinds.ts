import { z } from 'zod';
import { INFRASTRUCTURE_GROUP } from '../../api/infrastructure.ts';
import type { Metal3ClusterTemplateSpec } from '../../api/metal3cluster/types.ts';
import { denial } from '../../domain/admission/denial.ts';
import type { FieldProblem } from '../../domain/admission/infrastructure/field-problem.ts';
import { problemBody, problemText } from '../../domain/admission/infrastructure/field-problem.ts';
import {
  clusterTemplateProblem,
  metal3ClusterDefaults,
  metal3ClusterRules,
} from '../../domain/admission/infrastructure/metal3cluster.ts';
import { metal3DataClaimRules, metal3DataRules } from '../../domain/admission/infrastructure/metal3data.ts';
import { metal3DataTemplateRules } from '../../domain/admission/infrastructure/metal3datatemplate.ts';
import { metal3MachineRules, metal3MachineTemplateRules } from '../../domain/admission/infrastructure/metal3machine.ts';
import {
  metal3RemediationRules,
  metal3RemediationTemplateDefaults,
  metal3RemediationTemplateRules,
} from '../../domain/admission/infrastructure/metal3remediation.ts';
import type { FieldRules, Judged } from '../../domain/admission/infrastructure/rules.ts';
import { isJudged } from '../../domain/admission/rules.ts';
import { same } from '../../domain/same.ts';
import type { AdmittedKind, DefaultedKind, Judgement, Refusal } from './admitted.ts';
import { look } from './look.ts';

const at = (verb: 'validate' | 'mutate', kind: string): string =>
  `/${verb}-${INFRASTRUCTURE_GROUP.replaceAll('.', '-')}-v1beta2-${kind.toLowerCase()}`;

/** The API server sends what it has checked against the schema, in v1beta2 whatever it was written in. */
const seen = z.object({
  metadata: z.object({ name: z.string().default(''), namespace: z.string().default('') }),
  spec: z.looseObject({}).default({}),
});
const read = <Spec>(object: unknown): Judged<Spec> => seen.parse(object) as unknown as Judged<Spec>;

function admitted<Spec>(
  kind: string,
  judge: (before: Judged<Spec> | undefined, after: Judged<Spec>) => Judgement,
): AdmittedKind {
  return {
    kind,
    webhook: `validation.${kind.toLowerCase()}.${INFRASTRUCTURE_GROUP}`,
    path: at('validate', kind),
    judge: (before, after) =>
      isJudged(before === undefined ? undefined : look(before), look(after))
        ? judge(before === undefined ? undefined : read(before), read(after))
        : {},
  };
}

const byFields = <Spec>(kind: string, rules: FieldRules<Spec>): AdmittedKind =>
  admitted<Spec>(kind, (before, after) => ({
    refusal: refusal(kind, after, before === undefined ? rules.created(after) : rules.changed(before, after)),
    warnings: rules.warnings?.(after),
  }));

/** All that is wrong in one sentence for people, and field by field for programs. */
function refusal(
  kind: string,
  { metadata: { name } }: Judged<unknown>,
  problems: readonly FieldProblem[],
): Refusal | undefined {
  const said = denial(problems.map(problemText));
  if (said === undefined) return undefined;
  return {
    code: 422,
    reason: 'Invalid',
    message: `${kind}.${INFRASTRUCTURE_GROUP} ${JSON.stringify(name)} is invalid: ${said}`,
    details: {
      name,
      group: INFRASTRUCTURE_GROUP,
      kind,
      causes: problems.map((problem) => ({
        reason: REASONS[problem.kind],
        message: problemBody(problem),
        field: problem.field,
      })),
    },
  };
}

const REASONS: Readonly<Record<FieldProblem['kind'], string>> = {
  'Invalid value': 'FieldValueInvalid',
  'Required value': 'FieldValueRequired',
  Forbidden: 'FieldValueForbidden',
};

export const infrastructureKinds: readonly AdmittedKind[] = [
  byFields('Metal3Cluster', metal3ClusterRules),
  admitted<Metal3ClusterTemplateSpec>('Metal3ClusterTemplate', (before, after) => {
    const message = clusterTemplateProblem(...(before === undefined ? [] : [before.spec]), after.spec);
    return message === undefined ? {} : { refusal: { code: 403, reason: 'Forbidden', message } };
  }),
  byFields('Metal3Machine', metal3MachineRules),
  byFields('Metal3MachineTemplate', metal3MachineTemplateRules),
  byFields('Metal3DataTemplate', metal3DataTemplateRules),
  byFields('Metal3Data', metal3DataRules),
  byFields('Metal3DataClaim', metal3DataClaimRules),
  byFields('Metal3Remediation', metal3RemediationRules),
  byFields('Metal3RemediationTemplate', metal3RemediationTemplateRules),
];

/** Defaults come before the API server has checked anything: what is not even shaped like the kind is left to it. */
function defaulted<Shape extends z.ZodType<object>>(
  kind: string,
  spec: Shape,
  defaults: (spec: z.infer<Shape>) => unknown,
): DefaultedKind {
  return {
    kind,
    webhook: `default.${kind.toLowerCase()}.${INFRASTRUCTURE_GROUP}`,
    path: at('mutate', kind),
    defaults(object) {
      const found = spec.safeParse(written.safeParse(object).data?.spec);
      if (!found.success) return undefined;
      const whole = defaults(found.data);
      return same(whole, found.data) ? undefined : whole;
    },
  };
}

const written = z.object({ spec: z.unknown() });
const endpoint = z.looseObject({ port: z.number().optional() });
const strategy = z.looseObject({
  type: z.literal('Reboot').optional(),
  timeoutSeconds: z.number().optional(),
  retryLimit: z.number().optional(),
});

export const defaultedKinds: readonly DefaultedKind[] = [
  defaulted(
    'Metal3Cluster',
    z
      .looseObject({ controlPlaneEndpoint: endpoint.optional(), cloudProviderEnabled: z.boolean().optional() })
      .default({}),
    (spec) => metal3ClusterDefaults(spec),
  ),
  defaulted(
    'Metal3RemediationTemplate',
    z.looseObject({ template: z.looseObject({ spec: z.looseObject({ strategy: strategy.optional() }) }) }),
    (spec) => metal3RemediationTemplateDefaults(spec),
  ),
];
