import type { StoredCondition } from '../../api/meta/conditions.ts';
import type { DeprecatedConditions, DeprecatedStatus } from '../../api/meta/deprecated.ts';
import { given, unlessEmpty } from './given.ts';

/** Status fields common to machines and clusters in v1beta1. */
interface OldStatus {
  readonly ready?: boolean | undefined;
  readonly failureReason?: string | undefined;
  readonly failureMessage?: string | undefined;
  readonly conditions?: DeprecatedConditions | undefined;
  readonly v1beta2?: { readonly conditions?: readonly StoredCondition[] | undefined } | undefined;
}

/** The same fields in v1beta2. */
interface NewStatus {
  readonly initialization?: { readonly provisioned?: boolean | undefined } | undefined;
  readonly conditions?: readonly StoredCondition[] | undefined;
  readonly deprecated?: DeprecatedStatus | undefined;
}

/** The observed generation is left out when it is 0. */
const conditionsOf = (conditions: readonly StoredCondition[] = []): readonly StoredCondition[] =>
  conditions.map(({ observedGeneration = 0, ...condition }) => ({
    ...condition,
    ...(observedGeneration !== 0 && { observedGeneration }),
  }));

/** Only in legacy conditions can these be absent. */
const legacyConditions = (conditions: DeprecatedConditions = []): DeprecatedConditions =>
  conditions.map(({ severity, reason, message, ...same }) => ({ ...same, ...given({ severity, reason, message }) }));

/** Conditions and legacy conditions change places; neither is derived from the other. */
export function statusToHub({ ready, failureReason, failureMessage, conditions, v1beta2 }: OldStatus): NewStatus {
  const v1beta1 = unlessEmpty({
    ...given({ conditions: legacyConditions(conditions) }),
    ...(failureReason !== undefined && { failureReason }),
    ...(failureMessage !== undefined && { failureMessage }),
  });
  return {
    ...given({ conditions: conditionsOf(v1beta2?.conditions) }),
    // False can also mean that nothing was reported; the stored v1beta2 form knows.
    ...(ready === true && { initialization: { provisioned: true } }),
    ...(v1beta1 !== undefined && { deprecated: { v1beta1 } }),
  };
}

export function statusFromHub({ initialization, conditions, deprecated }: NewStatus): OldStatus {
  const { conditions: old, ...failure } = deprecated?.v1beta1 ?? {};
  const [now, before] = [given({ conditions: conditionsOf(conditions) }), given({ conditions: legacyConditions(old) })];
  return {
    ...before,
    ...failure,
    ready: initialization?.provisioned ?? false,
    ...(now.conditions !== undefined && { v1beta2: { conditions: now.conditions } }),
  };
}
