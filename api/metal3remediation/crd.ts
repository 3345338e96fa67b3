import type { PrinterColumn } from '../custom-resource.ts';
import { infrastructureResource } from '../infrastructure.ts';
import {
  metal3RemediationSpec,
  metal3RemediationStatus,
  metal3RemediationTemplateSpec,
  metal3RemediationTemplateStatus,
} from './schema.ts';
import {
  metal3RemediationSpecV1Beta1,
  metal3RemediationStatusV1Beta1,
  metal3RemediationTemplateSpecV1Beta1,
  metal3RemediationTemplateStatusV1Beta1,
} from './v1beta1.ts';

const columns = [
  ['Retry limit', '.spec.strategy.retryLimit', 'How often it is tried again at most'],
  ['Retry count', '.status.retryCount', 'How often it was tried again'],
  ['Last Remediated', '.status.lastRemediated', 'When it was last tried'],
  ['Strategy', '.spec.strategy.type', 'What is done'],
  ['Phase', '.status.phase', 'How far it has come'],
].map(
  ([name = '', jsonPath = '', description = '']): PrinterColumn => ({ name, type: 'string', jsonPath, description }),
);

export const metal3RemediationResource = infrastructureResource({
  kind: 'Metal3Remediation',
  plural: 'metal3remediations',
  singular: 'metal3remediation',
  shortNames: ['m3r', 'm3remediation'],
  description: 'One try to heal a machine that a MachineHealthCheck found unhealthy.',
  versions: [
    {
      name: 'v1beta1',
      isDeprecated: true,
      columns,
      spec: metal3RemediationSpecV1Beta1,
      status: metal3RemediationStatusV1Beta1,
      hasStatusSubresource: true,
    },
    {
      name: 'v1beta2',
      columns,
      spec: metal3RemediationSpec,
      status: metal3RemediationStatus,
      hasStatusSubresource: true,
    },
  ],
});

export const metal3RemediationTemplateResource = infrastructureResource({
  kind: 'Metal3RemediationTemplate',
  plural: 'metal3remediationtemplates',
  singular: 'metal3remediationtemplate',
  shortNames: ['m3rt', 'm3remediationtemplate', 'm3remediationtemplates', 'metal3rt', 'metal3remediationtemplate'],
  description: 'What the Metal3Remediations of a MachineHealthCheck are made from.',
  versions: [
    {
      name: 'v1beta1',
      isDeprecated: true,
      columns: [],
      spec: metal3RemediationTemplateSpecV1Beta1,
      status: metal3RemediationTemplateStatusV1Beta1,
      hasStatusSubresource: true,
    },
    {
      name: 'v1beta2',
      columns: [],
      spec: metal3RemediationTemplateSpec,
      status: metal3RemediationTemplateStatus,
      hasStatusSubresource: true,
    },
  ],
});
