import type { Image, Raid, RootDeviceHints, SecretReference } from '../../api/baremetalhost/types.ts';
import type { AutomatedCleaningMode, BootMode, InspectionMode } from '../../api/baremetalhost/values.ts';
import type { AgentImage, ImageWish } from '../preprovisioning/image.ts';
import type { BiosSettings, FirmwareUpdate } from './clean/machine-change.ts';
import type { IronicNode } from './node/node.ts';

/** Which BareMetalHost; the uid tells a recreated one from the old one. */
export interface HostRef {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** How the node must look in Ironic, whatever is done with it. Secrets by name only. */
export interface NodeOrder {
  readonly host: HostRef;
  /** Ironic's UUID as last known, '' before the first registration. */
  readonly nodeId: string;
  readonly bmc: {
    readonly address: string;
    readonly credentialsName: string;
    readonly disableCertificateVerification: boolean;
  };
  readonly bootMACAddress?: string;
  readonly bootMode: BootMode;
  readonly architecture?: string;
  readonly inspectionMode: InspectionMode;
  readonly automatedCleaningMode: AutomatedCleaningMode;
  readonly disablePowerOff: boolean;
  readonly preprovisioningNetworkDataName?: string;
  readonly image?: Image;
  readonly customDeployMethod?: string;
}

export interface RegisterOrder extends NodeOrder {
  /** The credentials or the address are others than those last tried: driver_info is written anew and a failed node is tried again. */
  readonly credentialsChanged: boolean;
  /** A repetition after a recorded failure: a node left in `enroll` is tried again rather than reported. */
  readonly retry: boolean;
  /** resourceVersion of the Secret as last seen, null when there was none. */
  readonly credentialsSeen: string | null;
  /** The same of the Secret in `preprovisioningNetworkDataName`; absent when none is named. */
  readonly networkSeen?: string | null;
  /**
   * Where images of the deploy agent are built for each host: the one to boot; null: what Ironic knows stays. Absent:
   * the operator's own is used.
   */
  readonly agentImage?: {
    readonly image: AgentImage | null;
    /** The host can't go on without. */
    readonly required: boolean;
  };
  /** Deletion in progress: missing credentials are no error, and nothing is created without them. */
  readonly deleting: boolean;
}

export type RegisterAnswer =
  /** The node is known to Ironic. `state` may be busy (`verifying`): wait, then look at it. */
  | {
      readonly kind: 'registered';
      readonly node: IronicNode;
      readonly created: boolean;
      /** The node is on its way to `manageable` because of this call; when it comes to rest elsewhere the BMC refused. */
      readonly verifying: boolean;
      /** resourceVersion of the Secret that was used, after it was claimed. */
      readonly credentialsVersion: string;
      /** The CPU architecture that Ironic has for the node; absent where nobody asks for one. */
      readonly architecture?: string;
      /** resourceVersion of the Secret in `preprovisioningNetworkDataName` that Ironic was told of, after it was claimed. */
      readonly networkVersion?: string;
    }
  | { readonly kind: 'credentials missing'; readonly message: string }
  | { readonly kind: 'credentials invalid'; readonly message: string; readonly credentialsVersion: string }
  /** Wrong in the host's own data: only a change of spec helps. */
  | { readonly kind: 'refused'; readonly message: string; readonly credentialsVersion?: string }
  /** Deleting without credentials, and Ironic does not know the node (any more). */
  | { readonly kind: 'unknown' };

/** The PreprovisioningImage of this host is to be there and to ask for this. */
export interface ImageOrder {
  readonly host: HostRef;
  readonly wish: ImageWish;
}

export interface InspectOrder extends NodeOrder {
  /** Inspect even if Ironic already holds an inventory. */
  readonly refresh: boolean;
  /** Annotations that force a reboot: an inspection that waits for its agent is begun anew. */
  readonly forcedBy?: readonly string[];
  /** A repetition after a recorded failure. */
  readonly retry: boolean;
}

/** An Event of type Warning that goes with a failure. */
export interface Warning {
  readonly reason: string;
  readonly message: string;
}

/** What every request that moves a node answers. */
export type IronicAnswer =
  /** Ironic is at it: wait for the node. */
  | { readonly kind: 'started'; readonly node: IronicNode }
  /** Nothing (more) to do. */
  | { readonly kind: 'done'; readonly node: IronicNode }
  | { readonly kind: 'failed'; readonly message: string; readonly node?: IronicNode; readonly warning?: Warning }
  /** Ironic does not know the node: register again. */
  | { readonly kind: 'lost' };

export interface InventoryAnswer {
  /** CPU architecture as the agent reports it, '' when unknown. */
  readonly architecture: string;
  readonly hostname: string;
}

export interface PrepareOrder extends NodeOrder {
  /** The volumes as they are to be. */
  readonly targetRaid?: Raid;
  /** As they were asked for last; absent when a failure has left nobody knows what. */
  readonly actualRaid?: Raid;
  readonly rootDeviceHints?: RootDeviceHints;
  readonly biosSettings?: BiosSettings;
  readonly firmwareUpdates?: readonly FirmwareUpdate[];
  /** False: all has been asked for already, and only its end is waited for. */
  readonly unprepared: boolean;
  /** A repetition after a recorded failure: a node in `clean failed` is cleaned again rather than reported. */
  readonly retry: boolean;
}

export interface ProvisionOrder extends NodeOrder {
  /** Annotations that force a reboot: a deployment that waits for its agent is begun anew. */
  readonly forcedBy?: readonly string[];
  readonly image?: Image;
  readonly rootDeviceHints?: RootDeviceHints;
  readonly userData?: SecretReference;
  readonly metaData?: SecretReference;
  readonly networkData?: SecretReference;
  /** A repetition after a recorded failure: a node in `deploy failed` is deployed again rather than reported. */
  readonly retry: boolean;
}

export interface PowerOrder {
  readonly host: HostRef;
  readonly nodeId: string;
  readonly on: boolean;
  readonly mode: 'soft' | 'hard';
  /** A repetition after a failure, or before deletion: do not stop at Ironic's last error. */
  readonly force: boolean;
  /** Reboot a node that is on and must never be off; the annotations that ask for it. */
  readonly rebootFor?: readonly string[];
  /** Nobody wants the node cleaned by itself any more: switching off ends such a cleaning. */
  readonly cleaningDisabled?: true;
}

/** A place among the hosts that Ironic has in hand is asked for; asking twice with one ticket is asking once. */
export interface AskForSlotOrder {
  readonly host: HostRef;
  readonly ticket: string;
  readonly nodeId: string;
  /** Places there are. */
  readonly limit: number;
  /** Milliseconds since the epoch. */
  readonly askedAt: number;
}

/** What is to be in the virtual drive. */
export interface MediaOrder {
  readonly host: HostRef;
  readonly nodeId: string;
  /** '' for nothing; null: only look. */
  readonly wanted: string | null;
  /** What is thought to be in it, '' for nothing. */
  readonly attached: string;
  /** What Ironic was asked for before, within the same change. */
  readonly asked: 'attach' | 'detach' | null;
}

export type MediaAnswer =
  /** Ironic has reserved the node for it: wait until it is free, and ask again. */
  | { readonly kind: 'started'; readonly asked: 'attach' | 'detach' }
  | { readonly kind: 'done'; readonly attached: string }
  | { readonly kind: 'failed'; readonly message: string }
  /** Ironic does not know the node. */
  | { readonly kind: 'lost' };

export interface DeprovisionOrder extends NodeOrder {
  readonly retry: boolean;
}

export interface DeleteOrder {
  readonly host: HostRef;
  readonly nodeId: string;
}

export interface WaitOrder {
  readonly host: HostRef;
  readonly nodeId: string;
  /** `rest`: until Ironic has stopped moving the node; `on`/`off`: until the power is so and no change is pending; `free`: until nobody has reserved the node. */
  readonly until: 'rest' | 'on' | 'off' | 'free';
}

/** null: Ironic does not know the node. */
export type WaitAnswer = IronicNode | null;
