import { namesOf, type PrinterColumn } from '../custom-resource.ts';
import { infrastructureResource } from '../infrastructure.ts';
import { column } from '../meta/columns.ts';
import { metal3Remediation, metal3RemediationTemplate } from './kind.ts';
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
  ['Retry limit', '.spec.strategy.retryLimit', 'Maximum number of retries'],
  ['Retry count', '.status.retryCount', 'Number of retries so far'],
  ['Last Remediated', '.status.lastRemediated', 'Time of the last attempt'],
  ['Strategy', '.spec.strategy.type', 'Remediation strategy'],
  ['Phase', '.status.phase', 'Current phase of the remediation'],
].map(([name = '', jsonPath = '', description = '']): PrinterColumn => column(name, jsonPath, description));

export const metal3RemediationResource = infrastructureResource({
  ...namesOf(metal3Remediation),
  shortNames: ['m3r', 'm3remediation'],
  description: 'One remediation of a machine that a MachineHealthCheck found unhealthy.',
  v1beta1: { columns, spec: metal3RemediationSpecV1Beta1, status: metal3RemediationStatusV1Beta1 },
  v1beta2: { columns, spec: metal3RemediationSpec, status: metal3RemediationStatus },
});

export const metal3RemediationTemplateResource = infrastructureResource({
  ...namesOf(metal3RemediationTemplate),
  shortNames: ['m3rt', 'm3remediationtemplate', 'm3remediationtemplates', 'metal3rt', 'metal3remediationtemplate'],
  description: 'Template for the Metal3Remediations of a MachineHealthCheck.',
  v1beta1: { columns: [], spec: metal3RemediationTemplateSpecV1Beta1, status: metal3RemediationTemplateStatusV1Beta1 },
  v1beta2: { columns: [], spec: metal3RemediationTemplateSpec, status: metal3RemediationTemplateStatus },
});
