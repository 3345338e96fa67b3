import type { Conversion } from './convertible.ts';
import { metal3ClusterConversion, metal3ClusterTemplate } from './metal3cluster.ts';
import { metal3Data, metal3DataClaim } from './metal3data.ts';
import { metal3DataTemplate } from './metal3datatemplate.ts';
import { metal3MachineConversion, metal3MachineTemplateConversion } from './metal3machine.ts';
import { metal3Remediation, metal3RemediationTemplate } from './metal3remediation.ts';

/** The conversion of each kind of Cluster API's infrastructure group. */
export const conversions: Readonly<Record<string, Conversion>> = {
  Metal3Cluster: metal3ClusterConversion,
  Metal3ClusterTemplate: metal3ClusterTemplate,
  Metal3Machine: metal3MachineConversion,
  Metal3MachineTemplate: metal3MachineTemplateConversion,
  Metal3DataTemplate: metal3DataTemplate,
  Metal3Data: metal3Data,
  Metal3DataClaim: metal3DataClaim,
  Metal3Remediation: metal3Remediation,
  Metal3RemediationTemplate: metal3RemediationTemplate,
};
