import { CONDITION_TYPES, FINALIZERS } from '../../api/baremetalhost/values.ts';
import { DATA_IMAGE_FINALIZER } from '../../api/dataimage/values.ts';
import { IMAGE_FINALIZERS } from '../../api/preprovisioningimage/values.ts';
import { METAL3_CLUSTER_FINALIZER } from '../cluster/cluster.ts';
import { DATA_CLAIM_FINALIZER, DATA_FINALIZER, TEMPLATE_FINALIZER } from '../data/names.ts';
import { PASSING_CONDITIONS } from '../entity/conditions.ts';
import { ADDRESS_FINALIZERS, POOL_FINALIZER } from '../ip-pool/names.ts';
import { CONDITIONS } from '../machine/memory/conditions.ts';
import { MACHINE_FINALIZER } from '../machine/names.ts';
import { ACTUATOR_FINALIZER, CONTROLLER_FINALIZERS } from '../machine-api/names.ts';
import { REMEDIATION_FINALIZER } from '../remediation/names.ts';
import { STUCK } from '../usual-times/stuck.ts';

/** What Temper, and the operators of Metal3 before it, keep on the objects of a kind. */
export interface Marks {
  readonly finalizers: readonly string[];
  /** Types of the conditions that follow the object; absent: its kind has none. */
  readonly conditions?: readonly string[];
}

/** By the name of the CRD. */
export const MARKS: Readonly<Record<string, Marks>> = {
  'baremetalhosts.metal3.io': {
    // A Machine of the Machine API keeps its host with its own finalizer.
    finalizers: [FINALIZERS.host, ...Object.values(CONTROLLER_FINALIZERS)],
    conditions: CONDITION_TYPES,
  },
  'hardwaredata.metal3.io': { finalizers: [FINALIZERS.hardwareData] },
  'preprovisioningimages.metal3.io': { finalizers: Object.values(IMAGE_FINALIZERS), conditions: ['Error', 'Ready'] },
  'dataimages.metal3.io': { finalizers: [DATA_IMAGE_FINALIZER] },
  'metal3clusters.infrastructure.cluster.x-k8s.io': {
    finalizers: [METAL3_CLUSTER_FINALIZER],
    conditions: ['BaremetalInfrastructureReady', 'Paused', 'Ready'],
  },
  'metal3machines.infrastructure.cluster.x-k8s.io': {
    finalizers: [MACHINE_FINALIZER],
    conditions: [...CONDITIONS, 'Paused', 'Ready'],
  },
  'metal3machinetemplates.infrastructure.cluster.x-k8s.io': { finalizers: [] },
  'metal3datatemplates.infrastructure.cluster.x-k8s.io': { finalizers: [TEMPLATE_FINALIZER] },
  'metal3dataclaims.infrastructure.cluster.x-k8s.io': { finalizers: [MACHINE_FINALIZER, DATA_CLAIM_FINALIZER] },
  'metal3datas.infrastructure.cluster.x-k8s.io': { finalizers: [DATA_CLAIM_FINALIZER, DATA_FINALIZER] },
  'metal3remediations.infrastructure.cluster.x-k8s.io': { finalizers: [REMEDIATION_FINALIZER] },
  'ippools.ipam.metal3.io': { finalizers: [POOL_FINALIZER] },
  'ipclaims.ipam.metal3.io': { finalizers: [ADDRESS_FINALIZERS.IPClaim.claim, DATA_FINALIZER] },
  'ipaddresses.ipam.metal3.io': { finalizers: [ADDRESS_FINALIZERS.IPClaim.address] },
  'ipaddressclaims.ipam.cluster.x-k8s.io': { finalizers: [ADDRESS_FINALIZERS.IPAddressClaim.claim, DATA_FINALIZER] },
  'ipaddresses.ipam.cluster.x-k8s.io': { finalizers: [ADDRESS_FINALIZERS.IPAddressClaim.address] },
  'machines.machine.openshift.io': { finalizers: [ACTUATOR_FINALIZER] },
  'machines.cluster.k8s.io': { finalizers: [ACTUATOR_FINALIZER] },
  secrets: { finalizers: [FINALIZERS.secret] },
};

/** Types of the conditions that Temper alone knows. */
export const OWN_CONDITIONS: readonly string[] = [...PASSING_CONDITIONS, STUCK];
