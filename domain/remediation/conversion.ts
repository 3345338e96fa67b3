import type {
  Metal3RemediationSpecGiven,
  Metal3RemediationStatus,
  Metal3RemediationTemplateSpecGiven,
  Metal3RemediationTemplateStatus,
} from '../../api/metal3remediation/schema.ts';
import type {
  Metal3RemediationSpecV1Beta1,
  Metal3RemediationStatusV1Beta1,
  Metal3RemediationTemplateSpecV1Beta1,
  Metal3RemediationTemplateStatusV1Beta1,
} from '../../api/metal3remediation/v1beta1.ts';
import { type Conversion, conversion, Inconvertible } from '../conversion/convertible.ts';
import { given, unlessEmpty } from '../conversion/given.ts';
import { goDuration, secondsAsGoDuration } from '../go/duration.ts';

/** Whole seconds; fractions are cut off. */
function seconds(timeout: string): number {
  const ms = goDuration(timeout);
  if (ms === undefined) throw new Inconvertible(`strategy.timeout: ${JSON.stringify(timeout)} is not a duration`);
  return Math.trunc(ms / 1000);
}

/** Zeros and empty texts mean absent in v1beta1 and are left out. */
function specToHub({ strategy }: Metal3RemediationSpecV1Beta1): Metal3RemediationSpecGiven {
  if (strategy === undefined) return {};
  const { type, retryLimit = 0, timeout } = strategy;
  const timeoutSeconds = timeout === undefined ? 0 : seconds(timeout);
  return {
    strategy: {
      ...given({ type: type as 'Reboot' }),
      ...(retryLimit !== 0 && { retryLimit }),
      ...(timeoutSeconds !== 0 && { timeoutSeconds }),
    },
  };
}

function specFromHub({ strategy }: Metal3RemediationSpecGiven): Metal3RemediationSpecV1Beta1 {
  if (strategy === undefined) return {};
  const { retryLimit = 0, timeoutSeconds = 0, ...same } = strategy;
  return {
    strategy: {
      ...same,
      ...(retryLimit !== 0 && { retryLimit }),
      ...(timeoutSeconds !== 0 && { timeout: secondsAsGoDuration(timeoutSeconds) }),
    },
  };
}

function statusToHub({
  phase,
  retryCount = 0,
  lastRemediated,
}: Metal3RemediationStatusV1Beta1): Metal3RemediationStatus {
  return {
    ...given({ phase: phase as Metal3RemediationStatus['phase'], lastRemediated }),
    ...(retryCount !== 0 && { retryCount }),
  };
}

const statusFromHub = ({ retryCount = 0, ...same }: Metal3RemediationStatus): Metal3RemediationStatusV1Beta1 => ({
  ...same,
  ...(retryCount !== 0 && { retryCount }),
});

export const metal3RemediationConversion: Conversion = conversion({
  specToHub,
  specFromHub,
  statusToHub,
  statusFromHub,
});

export const metal3RemediationTemplateConversion: Conversion = conversion({
  specIsRequired: true,
  specToHub: ({ template }: Metal3RemediationTemplateSpecV1Beta1): Metal3RemediationTemplateSpecGiven => ({
    template: { spec: specToHub(template.spec) },
  }),
  specFromHub: ({ template }: Metal3RemediationTemplateSpecGiven): Metal3RemediationTemplateSpecV1Beta1 => ({
    template: { spec: specFromHub(template.spec) },
  }),
  // Manifests are converted before the API server checks them: a `status: {}` lacks what the schema requires.
  statusToHub: ({
    status = {},
  }: Partial<Metal3RemediationTemplateStatusV1Beta1>): Metal3RemediationTemplateStatus | undefined =>
    unlessEmpty(given({ status: unlessEmpty(statusToHub(status)) })),
  statusFromHub: ({ status = {} }: Metal3RemediationTemplateStatus): Metal3RemediationTemplateStatusV1Beta1 => ({
    status: statusFromHub(status),
  }),
});
