import type { BareMetalHost } from '../../../api/baremetalhost/types.ts';
import {
  PROVISIONING_STATES,
  STEERING_ANNOTATIONS,
  UNDEPLOYING_ANNOTATION,
} from '../../../api/baremetalhost/values.ts';
import { updateSteps } from '../../ironic/clean/machine-change.ts';
import { raidSteps, sameRaid } from '../../ironic/clean/raid.ts';
import { desiredBmc, desiredSettings } from '../../ironic/node-settings.ts';
import type {
  AskedAgain,
  DeleteOrder,
  DeprovisionOrder,
  HostRef,
  InspectOrder,
  MediaOrder,
  PowerOrder,
  PrepareOrder,
  ProvisionOrder,
  RegisterOrder,
} from '../../ironic/orders.ts';
import { isFree, traitsOf } from '../../states/table.ts';
import type { StateRequest, Work } from '../../states/traits.ts';
import { detachmentAsked } from '../memory/detach-annotation.ts';
import { isDeleting } from '../memory/memory.ts';
import { isRebootKey, keepsOff } from '../memory/reboot-annotations.ts';
import { freshPreparation } from './fresh-order.ts';
import { isInspectionDisabled } from './inspection-disabled.ts';
import { raidChange, wantedRaid } from './preparation.ts';
import { deploymentData, provisionedWith, provisioningCancelled, wantedImage, wantedMethod } from './wishes.ts';

/** A request to a server that erases, reboots or powers it off, gives it away, or sends credentials to its BMC. */
export type HostRequest =
  | {
      readonly name: 'register';
      readonly order: Pick<RegisterOrder, 'host' | 'bmc' | 'preprovisioningNetworkDataName' | 'agentImage'>;
    }
  | { readonly name: 'inspect'; readonly order: Pick<InspectOrder, 'host'> }
  | { readonly name: 'prepare'; readonly order: PrepareOrder }
  | { readonly name: 'clean'; readonly order: { readonly host: HostRef } }
  | { readonly name: 'deploy'; readonly order: ProvisionOrder }
  | { readonly name: 'undeploy'; readonly order: Pick<DeprovisionOrder, 'host' | 'image' | 'customDeployMethod'> }
  | { readonly name: 'power'; readonly order: Pick<PowerOrder, 'host' | 'on' | 'rebootFor'> }
  | { readonly name: 'abort'; readonly order: { readonly host: HostRef } }
  | { readonly name: 'delete'; readonly order: DeleteOrder }
  /** Whether something runs on a free host. */
  | { readonly name: 'examine'; readonly order: { readonly host: HostRef } }
  /** Its DataImage is compared where the object is read. */
  | { readonly name: 'media'; readonly order: Pick<MediaOrder, 'host' | 'desired' | 'requested'> }
  /** What interrupts no machine: that it is in use, and its ports. Ironic's record is to say what is so. */
  | { readonly name: 'keep'; readonly order: { readonly host: HostRef } };

/**
 * The work of the state that the status must show before the request is sent, because the object alone must show it if
 * the run is lost.
 */
const SHOWN: Partial<Record<HostRequest['name'], Work>> = {
  prepare: 'prepare',
  deploy: 'provision',
  undeploy: 'deprovision',
};

/**
 * Why a request for which the BareMetalHost asks is too early; undefined when it is not. The object must show first
 * that its server is deployed or erased: if the workflow is lost, only the object knows it.
 */
export function tooEarly({ status }: BareMetalHost, { name }: HostRequest): string | undefined {
  const work = SHOWN[name];
  if (work === undefined || traitsOf(status?.provisioning.state ?? '').work === work) return undefined;
  return `its status does not show '${PROVISIONING_STATES.find((state) => traitsOf(state).work === work)}' yet`;
}

/**
 * Why a BareMetalHost as it is in the API server now does not ask for the request; undefined when it does. The request
 * may come from a restored Temporal, a reset run or a forged message, so nothing but the object counts.
 */
export function objection(host: BareMetalHost | undefined, request: HostRequest): string | undefined {
  const { order } = request;
  if (host === undefined) return 'it does not exist';
  if (host.metadata.uid !== order.host.uid) return `it is another one of this name, with uid ${host.metadata.uid}`;
  const { spec, status } = host;
  const now = wishOf(host);
  const state = status?.provisioning.state ?? '';
  const mayFollow = (name: StateRequest): string | undefined =>
    traitsOf(state).requests.includes(name) ? undefined : `it is ${state === '' ? 'new' : state}`;
  const isLeaving = isDeleting(now) ? 'it is being deleted' : undefined;
  switch (request.name) {
    case 'register':
      return registration(spec, request.order);
    case 'inspect':
      return isLeaving ?? mayFollow('inspect') ?? disabledInspection(now);
    case 'prepare':
      return isLeaving ?? mayFollow('prepare') ?? otherPreparation(host, request.order);
    case 'clean':
      return isLeaving ?? mayFollow('deploy') ?? nothingToDeploy(now);
    case 'deploy':
      return isLeaving ?? mayFollow('deploy') ?? nothingToDeploy(now) ?? anotherDeployment(host, request.order);
    case 'undeploy':
      return undeployment(host, isLeaving !== undefined, request.order);
    case 'examine':
      return isLeaving ?? mayFollow('examine') ?? somethingToDeploy(now);
    case 'power':
      if (!request.order.on) return powerOff(host, isLeaving !== undefined);
      return (
        isLeaving ?? (request.order.rebootFor === undefined ? powerOn(host) : reboot(host, request.order.rebootFor))
      );
    case 'abort':
      return STEERING_ANNOTATIONS.abort in now.seen.annotations ? undefined : 'nobody asks to abort its operation';
    case 'media':
    case 'keep':
      return undefined;
    case 'delete':
      return isLeaving !== undefined || detachmentAsked(now.seen) !== undefined
        ? undefined
        : 'it is neither being deleted nor to be detached';
  }
}

const wishOf = ({ metadata: { annotations = {}, deletionTimestamp }, spec }: BareMetalHost) => ({
  seen: { spec, annotations, ...(deletionTimestamp !== undefined && { deletionTimestamp }) },
});

function registration(
  spec: BareMetalHost['spec'],
  { bmc: asked, preprovisioningNetworkDataName }: Pick<RegisterOrder, 'bmc' | 'preprovisioningNetworkDataName'>,
): string | undefined {
  const bmc = desiredBmc(spec);
  const isSo =
    bmc.address === asked.address &&
    bmc.credentialsName === asked.credentialsName &&
    desiredSettings(spec).preprovisioningNetworkDataName === preprovisioningNetworkDataName;
  if (!isSo) return 'it names another BMC, or other Secrets';
  return bmc.disableCertificateVerification === asked.disableCertificateVerification
    ? undefined
    : 'its spec says otherwise whether the certificate of its BMC is verified';
}

const disabledInspection = ({ seen: { spec, annotations } }: ReturnType<typeof wishOf>): string | undefined =>
  isInspectionDisabled(spec.inspectionMode, annotations) ? 'its inspection is disabled' : undefined;

const nothingToDeploy = (now: ReturnType<typeof wishOf>): string | undefined => {
  if (now.seen.spec.externallyProvisioned === true) return 'it is externally provisioned';
  return wantedImage(now) === undefined && wantedMethod(now) === undefined
    ? 'its spec asks for no deployment'
    : undefined;
};

const somethingToDeploy = (now: ReturnType<typeof wishOf>): string | undefined => {
  if (now.seen.spec.externallyProvisioned === true) return 'it is externally provisioned';
  return wantedImage(now) === undefined && wantedMethod(now) === undefined
    ? undefined
    : 'its spec asks for a deployment';
};

/** Building volumes erases their disks. No object of the API asks for firmware or its settings yet. */
function otherPreparation(host: BareMetalHost, asked: PrepareOrder): string | undefined {
  if (updateSteps(asked).length > 0) return 'nothing asks for other firmware or BIOS settings';
  const { spec, status } = host;
  const order = freshPreparation(host, asked);
  const change = order.unprepared ? raidChange(order) : undefined;
  if (change === undefined || raidSteps(change).length === 0) return undefined;
  const wanted = wantedRaid({ seen: { spec }, status: { provisioning: status?.provisioning ?? {} } });
  return sameRaid(order.targetRaid, wanted) ? undefined : 'its spec asks for other volumes';
}

/** The data is not compared: `freshDeployment` replaces it. */
const anotherDeployment = (host: BareMetalHost, order: ProvisionOrder): string | undefined =>
  isOfPresentWish(host, order) ? undefined : 'its spec asks for another deployment';

function undeployment(
  { spec, status }: BareMetalHost,
  isLeaving: boolean,
  order: Pick<DeprovisionOrder, 'image' | 'customDeployMethod'>,
): string | undefined {
  const now = { seen: { spec } };
  const { requests, work } = traitsOf(status?.provisioning.state ?? '');
  if (status === undefined || !requests.includes('undeploy'))
    return `nothing is deployed on it: it is ${status?.provisioning.state || 'new'}`;
  if (work === 'deprovision' || isLeaving) return undefined;
  if (work !== 'provision')
    return provisioningCancelled(now, provisionedWith({ status })) ? undefined : 'it is provisioned as its spec asks';
  if (status.errorType !== undefined) return undefined;
  const running = { url: status.lastAttemptedImage?.url ?? '', method: order.customDeployMethod };
  return provisioningCancelled(now, running) ? undefined : 'it is being provisioned as its spec asks';
}

/**
 * What a deprovisioning host asks for, by its user or because etcd was restored: it stays on a node that runs it, unless
 * Ironic was told to erase it. undefined: nothing stays.
 */
export function askedAgain(host: BareMetalHost): AskedAgain | undefined {
  const { spec, status } = host;
  if (status === undefined || traitsOf(status.provisioning.state).work !== 'deprovision') return undefined;
  if (isDeleting(wishOf(host))) return undefined;
  const { image, customDeploy } = spec;
  return { desired: { ...deploymentData(spec), image, customDeploy }, shown: provisionedWith({ status }) };
}

/** True when the status says that something was deployed. */
export function showsDeployment({ status }: BareMetalHost): boolean {
  const { url, method } = status === undefined ? { url: '' } : provisionedWith({ status });
  return url !== '' || method !== undefined;
}

/**
 * True when Ironic was told to undeploy this node, and the host has not left `deprovisioning` since. A workflow knows
 * that, too, but its message may be forged.
 */
export const isUndeploymentBegun = (
  { metadata: { annotations = {} } }: BareMetalHost,
  { nodeId, isBegun }: Pick<DeprovisionOrder, 'nodeId' | 'isBegun'>,
): boolean => isBegun === true && annotations[UNDEPLOYING_ANNOTATION] === nodeId;

/** True when an order fits what the BareMetalHost asks for now. Images are compared by URL. */
export function isOfPresentWish(
  host: BareMetalHost,
  { image, customDeployMethod }: Pick<DeprovisionOrder, 'image' | 'customDeployMethod'>,
): boolean {
  const now = wishOf(host);
  return wantedImage(now)?.url === image?.url && wantedMethod(now) === customDeployMethod;
}

/** A server that is kept off may be fenced: whoever asks for that counts on it. */
function powerOn({ metadata: { annotations = {} }, spec, status }: BareMetalHost): string | undefined {
  if (!spec.online) return 'it asks to be off';
  const state = status?.provisioning.state ?? '';
  const keeping = Object.entries(annotations).find(([key, value]) => keepsOff(key, value, isFree(state)));
  return keeping && `its annotation ${keeping[0]} keeps it off`;
}

function powerOff({ metadata, spec }: BareMetalHost, isLeaving: boolean): string | undefined {
  const isAsked = Object.keys(metadata.annotations ?? {}).some(isRebootKey);
  return isLeaving || isAsked || !spec.online ? undefined : 'it asks to be powered on';
}

/** A reboot in one step switches a server on that is off, and that may be fenced. */
function reboot({ metadata: { annotations = {} }, spec }: BareMetalHost, asked: readonly string[]): string | undefined {
  if (!spec.online) return 'it asks to be off';
  if (spec.disablePowerOff !== true) return 'its server is to be powered off for a reboot';
  const isAsked = asked.length > 0 && asked.every((key) => isRebootKey(key) && key in annotations);
  return isAsked ? undefined : 'it asks for no reboot';
}
