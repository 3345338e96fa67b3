import type { Kind } from '../api/kind.ts';
import { KINDS } from '../api/kinds.ts';
import { metal3MachineRules, metal3MachineTemplateRules } from './admission/metal3machine.ts';
import type { Defaults, Rules } from './admission/rules.ts';
import { metal3ClusterDefaults, metal3ClusterRules, metal3ClusterTemplateRules } from './cluster/admission.ts';
import { metal3ClusterConversion, metal3ClusterTemplateConversion } from './cluster/conversion.ts';
import type { Conversion } from './conversion/convertible.ts';
import { metal3DataClaimRules, metal3DataRules } from './data/admission.ts';
import { metal3DataClaimConversion, metal3DataConversion } from './data/conversion.ts';
import { metal3DataTemplateRules } from './data-template/admission.ts';
import { metal3DataTemplateConversion } from './data-template/conversion/conversion.ts';
import { ipAddressRules, ipClaimRules } from './ip-pool/admission/claims.ts';
import { ipPoolDefaults, ipPoolRules } from './ip-pool/admission/ippool.ts';
import { metal3MachineConversion, metal3MachineTemplateConversion } from './machine/conversion.ts';
import {
  metal3RemediationRules,
  metal3RemediationTemplateDefaults,
  metal3RemediationTemplateRules,
} from './remediation/admission.ts';
import { metal3RemediationConversion, metal3RemediationTemplateConversion } from './remediation/conversion.ts';

/** What the webhooks know about a kind. */
export interface KindAtWebhooks {
  readonly of: Kind;
  readonly rules?: Rules<never>;
  readonly defaults?: Defaults<never>;
  /** Between the version that is stored and the older one. */
  readonly conversion?: Conversion;
}

/** One entry for each kind, in the order of the manifests. */
export const AT_WEBHOOKS: readonly KindAtWebhooks[] = [
  {
    of: KINDS.metal3Cluster,
    rules: metal3ClusterRules,
    defaults: metal3ClusterDefaults,
    conversion: metal3ClusterConversion,
  },
  {
    of: KINDS.metal3ClusterTemplate,
    rules: metal3ClusterTemplateRules,
    conversion: metal3ClusterTemplateConversion,
  },
  { of: KINDS.metal3Machine, rules: metal3MachineRules, conversion: metal3MachineConversion },
  {
    of: KINDS.metal3MachineTemplate,
    rules: metal3MachineTemplateRules,
    conversion: metal3MachineTemplateConversion,
  },
  { of: KINDS.dataTemplate, rules: metal3DataTemplateRules, conversion: metal3DataTemplateConversion },
  { of: KINDS.data, rules: metal3DataRules, conversion: metal3DataConversion },
  { of: KINDS.dataClaim, rules: metal3DataClaimRules, conversion: metal3DataClaimConversion },
  { of: KINDS.remediation, rules: metal3RemediationRules, conversion: metal3RemediationConversion },
  {
    of: KINDS.remediationTemplate,
    rules: metal3RemediationTemplateRules,
    defaults: metal3RemediationTemplateDefaults,
    conversion: metal3RemediationTemplateConversion,
  },
  { of: KINDS.ipPool, rules: ipPoolRules, defaults: ipPoolDefaults },
  { of: KINDS.ipClaim, rules: ipClaimRules },
  { of: KINDS.ipAddress, rules: ipAddressRules },
];
