import type { Metal3DataSpec, Metal3DataStatus } from '../../api/metal3data/schema.ts';
import type { Metal3DataSpecV1Beta1, Metal3DataStatusV1Beta1 } from '../../api/metal3data/v1beta1.ts';
import type { Metal3DataClaimSpec, Metal3DataClaimStatus } from '../../api/metal3dataclaim/schema.ts';
import type { Metal3DataClaimSpecV1Beta1, Metal3DataClaimStatusV1Beta1 } from '../../api/metal3dataclaim/v1beta1.ts';
import { type Conversion, conversion } from '../conversion/convertible.ts';
import { given } from '../conversion/given.ts';
import { convertReference, convertRequiredReference } from '../conversion/references.ts';

/** `templateReference` is dropped. A missing index means 0. */
function specToHub(spec: Metal3DataSpecV1Beta1): Metal3DataSpec {
  const { index = 0, metaData, networkData, claim, template } = spec;
  return {
    index,
    ...given({ metaData, networkData }),
    ...given({ claim: convertRequiredReference(claim), template: convertRequiredReference(template) }),
  };
}

function specFromHub({ index = 0, claim = {}, template = {}, ...same }: Metal3DataSpec): Metal3DataSpecV1Beta1 {
  return { ...same, ...(index !== 0 && { index }), claim, template };
}

export const metal3DataConversion: Conversion = conversion({
  specToHub,
  specFromHub,
  statusToHub: ({ ready = false, errorMessage }: Metal3DataStatusV1Beta1): Metal3DataStatus =>
    given({ ready, errorMessage }),
  statusFromHub: ({ ready = false, errorMessage = '' }: Metal3DataStatus): Metal3DataStatusV1Beta1 => ({
    ready,
    errorMessage,
  }),
});

export const metal3DataClaimConversion: Conversion = conversion({
  specToHub: ({ template }: Metal3DataClaimSpecV1Beta1): Metal3DataClaimSpec =>
    given({ template: convertRequiredReference(template) }),
  specFromHub: ({ template = {} }: Metal3DataClaimSpec): Metal3DataClaimSpecV1Beta1 => ({ template }),
  statusToHub: ({ renderedData, errorMessage }: Metal3DataClaimStatusV1Beta1): Metal3DataClaimStatus =>
    given({ renderedData: convertReference(renderedData), errorMessage }),
  statusFromHub: ({ errorMessage = '', ...same }: Metal3DataClaimStatus): Metal3DataClaimStatusV1Beta1 => ({
    ...same,
    errorMessage,
  }),
});
