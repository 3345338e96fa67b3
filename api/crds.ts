import { bareMetalHostResource } from './baremetalhost/crd.ts';
import { type CustomResource, definitionName, isConverted } from './custom-resource.ts';
import { dataImageResource } from './dataimage/crd.ts';
import { hardwareDataResource } from './hardwaredata/crd.ts';
import { ipAddressResource, ipClaimResource, ipPoolResource } from './ipam/crd.ts';
import { metal3ClusterResource, metal3ClusterTemplateResource } from './metal3cluster/crd.ts';
import { metal3DataResource } from './metal3data/crd.ts';
import { metal3DataClaimResource } from './metal3dataclaim/crd.ts';
import { metal3DataTemplateResource } from './metal3datatemplate/crd.ts';
import { metal3MachineResource, metal3MachineTemplateResource } from './metal3machine/crd.ts';
import { metal3RemediationResource, metal3RemediationTemplateResource } from './metal3remediation/crd.ts';
import { preprovisioningImageResource } from './preprovisioningimage/crd.ts';

/** All kinds that Temper defines. */
export const customResources: readonly CustomResource[] = [
  bareMetalHostResource,
  hardwareDataResource,
  preprovisioningImageResource,
  dataImageResource,
  metal3ClusterResource,
  metal3ClusterTemplateResource,
  metal3MachineResource,
  metal3MachineTemplateResource,
  metal3DataTemplateResource,
  metal3DataResource,
  metal3DataClaimResource,
  metal3RemediationResource,
  metal3RemediationTemplateResource,
  ipPoolResource,
  ipClaimResource,
  ipAddressResource,
];

/** The names of the definitions whose objects our webhook converts. */
export const convertedDefinitions: readonly string[] = customResources.filter(isConverted).map(definitionName);
