import { metal3DataTemplate } from './data-template/metal3datatemplate.ts';
import { metal3ClusterConversion, metal3ClusterTemplate } from './kinds/metal3cluster.ts';
import { metal3Data, metal3DataClaim } from './kinds/metal3data.ts';
import { metal3MachineConversion, metal3MachineTemplateConversion } from './kinds/metal3machine.ts';
import { metal3Remediation, metal3RemediationTemplate } from './kinds/metal3remediation.ts';
import { type Conversion, type Convertible, Inconvertible } from './parts/convertible.ts';

const GROUP = 'infrastructure.cluster.x-k8s.io';
const [OLD, HUB] = [`${GROUP}/v1beta1`, `${GROUP}/v1beta2`];

/** The conversion of each kind of Cluster API's infrastructure group. */
const conversions: Readonly<Record<string, Conversion>> = {
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

/** Converts the object to another version of its kind. Throws `Inconvertible`. */
export function convertTo(apiVersion: string, object: Convertible): Convertible {
  if (object.apiVersion === apiVersion) return object;
  const conversion = conversions[object.kind];
  const way = `${object.apiVersion} to ${apiVersion}`;
  if (conversion !== undefined && way === `${OLD} to ${HUB}`) return { ...conversion.toHub(object), apiVersion };
  if (conversion !== undefined && way === `${HUB} to ${OLD}`) return { ...conversion.fromHub(object), apiVersion };
  throw new Inconvertible(`no conversion from ${way} for the kind ${object.kind}`);
}
