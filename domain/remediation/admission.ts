import type {
  Metal3RemediationSpecGiven,
  Metal3RemediationTemplateSpecGiven,
} from '../../api/metal3remediation/schema.ts';
import { type FieldProblem, invalid } from '../admission/field-problem.ts';
import { alike, type Defaults, type Judged } from '../admission/rules.ts';
import { anyText, integer, object, optional } from '../message/shape.ts';

type Strategy = NonNullable<Metal3RemediationSpecGiven['strategy']>;

const LEAST_TIMEOUT = 100;
const LEAST_RETRIES = 1;
const DEFAULTS = { type: 'Reboot', timeoutSeconds: 600, retryLimit: LEAST_RETRIES } as const;

interface Words {
  readonly type: string;
  readonly retryLimit: string;
}

function strategyProblems(strategy: Strategy, path: string, words: Words): readonly FieldProblem[] {
  const { type = '', timeoutSeconds = 0, retryLimit = 0 } = strategy;
  const isShort = timeoutSeconds !== 0 && timeoutSeconds < LEAST_TIMEOUT;
  return [
    ...(isShort ? [invalid(`${path}.timeoutSeconds`, timeoutSeconds, `min duration is ${LEAST_TIMEOUT} seconds`)] : []),
    ...(type === DEFAULTS.type ? [] : [invalid(`${path}.type`, type, words.type)]),
    ...(retryLimit < LEAST_RETRIES ? [invalid(`${path}.retryLimit`, retryLimit, words.retryLimit)] : []),
  ];
}

export const metal3RemediationRules = alike<Judged<Metal3RemediationSpecGiven>>(({ spec: { strategy } }) =>
  strategy === undefined
    ? []
    : strategyProblems(strategy, 'spec.strategy', {
        type: 'is only supported remediation strategy',
        retryLimit: 'is minimum retrylimit',
      }),
);

export const metal3RemediationTemplateRules = alike<Judged<Metal3RemediationTemplateSpecGiven>>(({ spec }) =>
  strategyProblems(spec.template.spec.strategy ?? {}, 'spec.template.spec.strategy', {
    type: 'only supported remediation strategy is reboot',
    retryLimit: `minimum retry limit is ${LEAST_RETRIES}`,
  }),
);

/** A template before its schema was checked. */
interface Unchecked {
  readonly template: { readonly spec: { readonly strategy?: UncheckedStrategy | undefined } };
}
interface UncheckedStrategy {
  readonly type?: string | undefined;
  readonly timeoutSeconds?: number | undefined;
  readonly retryLimit?: number | undefined;
}

const strategy = object({
  type: optional(anyText),
  timeoutSeconds: optional(integer()),
  retryLimit: optional(integer()),
});

/** A template without a strategy gets the default one; upstream's webhook crashes on it. */
export const metal3RemediationTemplateDefaults: Defaults<Unchecked> = {
  given: object({ template: object({ spec: object({ strategy: optional(strategy) }) }) }),
  complete(spec) {
    const { type = '', timeoutSeconds = 0, retryLimit = 0 } = spec.template.spec.strategy ?? {};
    const whole = {
      type: type === '' ? DEFAULTS.type : type,
      timeoutSeconds: timeoutSeconds === 0 ? DEFAULTS.timeoutSeconds : timeoutSeconds,
      retryLimit: Math.max(retryLimit, LEAST_RETRIES),
    };
    return { ...spec, template: { ...spec.template, spec: { ...spec.template.spec, strategy: whole } } };
  },
};
