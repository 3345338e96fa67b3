import type { Image, Raid, RootDeviceHints, SecretReference } from '../../api/baremetalhost/types.ts';
import type { BootMode, InspectionMode } from '../../api/baremetalhost/values.ts';
import type { ObjectRef } from '../entity/object-ref.ts';
import type { Need } from '../lock/lock.ts';
import type { LockName } from '../lock/policy.ts';
import type { AgentImage, ImageWish } from '../preprovisioning/image.ts';
import type { BiosSettings, FirmwareUpdate } from './clean/machine-change.ts';
import type { IronicNode, NodeState } from './node/node.ts';
import type { BmcSettings, PlainSettings } from './node-settings.ts';

/** Identifies a BareMetalHost; a recreated one has another uid. */
export type HostRef = ObjectRef;

/** The desired Ironic node, for every operation. Names of Secrets only. */
export interface NodeOrder extends PlainSettings {
  readonly host: HostRef;
  /** UUID of the node as last known, '' before the first registration. */
  readonly nodeId: string;
  readonly bmc: BmcSettings;
  readonly bootMode: BootMode;
  readonly architecture?: string;
  readonly inspectionMode: InspectionMode;
  readonly image?: Image;
  readonly customDeployMethod?: string;
}

export interface RegisterOrder extends NodeOrder {
  /** The credentials changed since the last attempt: driver_info is replaced, and a failed node is tried again. */
  readonly credentialsChanged: boolean;
  /** A retry after a recorded failure: a node in `enroll` is tried again instead of reported. */
  readonly retry: boolean;
  /** resourceVersion of the Secret as last seen, null when it did not exist. */
  readonly credentialsSeen: string | null;
  /** The same for the Secret in `preprovisioningNetworkDataName`; absent when none is named. */
  readonly networkSeen?: string | null;
  /**
   * The deploy agent's image to boot, where images are built for each host; null keeps the one that Ironic has. Absent:
   * the operator's own is used.
   */
  readonly agentImage?: {
    readonly image: AgentImage | null;
    /** The host cannot continue without it. */
    readonly required: boolean;
  };
  /** The host is being deleted: missing credentials are no error, and nothing is created without them. */
  readonly deleting: boolean;
}

export type RegisterAnswer =
  /** Ironic knows the node. A busy `state` (`verifying`) must be waited for. */
  | {
      readonly kind: 'registered';
      readonly node: IronicNode;
      readonly created: boolean;
      /** This call sent the node to `manageable`; if it ends in another state, the BMC refused. */
      readonly verifying: boolean;
      /** resourceVersion of the Secret that was used, after it was marked. */
      readonly credentialsVersion: string;
      /** The node's CPU architecture in Ironic; absent when none is requested. */
      readonly architecture?: string;
      /**
       * resourceVersion of the Secret in `preprovisioningNetworkDataName` that was sent to Ironic, after it was marked.
       */
      readonly networkVersion?: string;
      /** Message of a policy that forbids to mark the Secret of the BMC. */
      readonly refusal?: string;
    }
  | { readonly kind: 'credentials missing'; readonly message: string }
  | { readonly kind: 'credentials invalid'; readonly message: string; readonly credentialsVersion: string }
  /** An error in the host's own data: only a change of the spec helps. */
  | {
      readonly kind: 'refused';
      readonly message: string;
      readonly credentialsVersion?: string;
      /** The text in this Secret is the cause. */
      readonly wrongSecret?: SecretSeen;
    }
  /** Deletion without credentials, and Ironic does not know the node (any more). */
  | { readonly kind: 'unknown' };

/** Ensures that the PreprovisioningImage of this host exists with these requirements. */
export interface ImageOrder {
  readonly host: HostRef;
  readonly desired: ImageWish;
}

export interface InspectOrder extends NodeOrder {
  /** Inspect even if Ironic has an inventory. */
  readonly refresh: boolean;
  /** Annotations that force a reboot: an inspection that waits for its agent is restarted. */
  readonly forcedBy?: readonly string[];
  /** A retry after a recorded failure. */
  readonly retry: boolean;
}

/** A Secret, as an attempt has read it. */
export interface SecretSeen {
  readonly name: string;
  readonly resourceVersion: string;
}

/** An Event of type Warning for a failure. */
export interface Warning {
  readonly reason: string;
  readonly message: string;
}

/** The answer to every request that moves a node. */
export type IronicAnswer =
  /** Ironic has started: wait for the node. `alreadyRunning`: Ironic was already busy; not started by this request. */
  | {
      readonly kind: 'started';
      readonly node: IronicNode;
      readonly alreadyRunning?: true;
      /** Ironic was asked to adopt the node. */
      readonly adopts?: true;
    }
  /** Nothing (more) to do. */
  | { readonly kind: 'done'; readonly node: IronicNode }
  | {
      readonly kind: 'failed';
      readonly message: string;
      readonly node?: IronicNode;
      readonly warning?: Warning;
      /** The text in this Secret is the cause, and Ironic was not asked for anything. */
      readonly wrongSecret?: SecretSeen;
    }
  /** Ironic does not know the node: register again. */
  | { readonly kind: 'lost' };

/** Whether something runs on a free host. */
export interface ExamineOrder {
  readonly host: HostRef;
  readonly nodeId: string;
}

/** What was found out about a node. Nothing was asked of it. */
export type ExamineAnswer = Exclude<IronicAnswer, { readonly kind: 'started' }>;

export interface InventoryAnswer {
  /** CPU architecture that the agent reported, '' when unknown. */
  readonly architecture: string;
  readonly hostname: string;
}

export interface PrepareOrder extends NodeOrder {
  /** The desired volumes. */
  readonly targetRaid?: Raid;
  /** The volumes requested last; absent when a failure left them unknown. */
  readonly actualRaid?: Raid;
  readonly rootDeviceHints?: RootDeviceHints;
  readonly biosSettings?: BiosSettings;
  readonly firmwareUpdates?: readonly FirmwareUpdate[];
  /** False: everything was requested already, and only the end is waited for. */
  readonly unprepared: boolean;
  /** A retry after a recorded failure: a node in `clean failed` is cleaned again instead of reported. */
  readonly retry: boolean;
}

export interface ProvisionOrder extends NodeOrder {
  /** Annotations that force a reboot: a deployment that waits for its agent is restarted. */
  readonly forcedBy?: readonly string[];
  readonly image?: Image;
  readonly rootDeviceHints?: RootDeviceHints;
  readonly userData?: SecretReference;
  readonly metaData?: SecretReference;
  readonly networkData?: SecretReference;
  /** Names the attempt of the host to deploy, which may name other Secrets meanwhile; absent: not known. */
  readonly attempt?: string;
  /** A retry after a recorded failure: a node in `deploy failed` is deployed again instead of reported. */
  readonly retry: boolean;
}

export interface AdoptOrder {
  readonly host: HostRef;
  readonly nodeId: string;
  /** What runs on the host, for Ironic's record. Absent: unknown, as on an externally provisioned host. */
  readonly image?: Image;
  readonly customDeployMethod?: string;
  /** A retry after a recorded failure. */
  readonly retry: boolean;
}

export interface PowerOrder {
  readonly host: HostRef;
  readonly nodeId: string;
  readonly on: boolean;
  readonly mode: 'soft' | 'hard';
  /** A retry after a failure, or before deletion: ignore Ironic's last error. */
  readonly force: boolean;
  /** Reboot a node that is on and must never be off; the annotations that requested it. */
  readonly rebootFor?: readonly string[];
  /** Automated cleaning is no longer wanted: powering off aborts it. */
  readonly cleaningDisabled?: true;
}

/** A request for places of a lock; repeated with the same ticket it is the same request. */
export interface AskForPlaceOrder {
  readonly lock: LockName;
  readonly host: HostRef;
  /** '' for a new request: the workflow draws its ticket. */
  readonly ticket: string;
  /** Names the step, with its wish; '' for a slot. */
  readonly code: string;
  readonly needs: readonly Need[];
  /** The step has begun already. */
  readonly underway: boolean;
  /** The run was lost, perhaps with places that are in all of these budgets: the host keeps such places. */
  readonly isForgotten?: true;
  /** UUID of the host's Ironic node, where a lock counts the nodes that Ironic is working on. */
  readonly nodeId?: string;
  /** Milliseconds since the epoch. */
  readonly requestedAt: number;
}

/** Places that the host no longer needs. */
export interface ReturnPlaceOrder {
  readonly lock: LockName;
  readonly host: HostRef;
  readonly tickets: readonly string[];
}

/** The desired content of the virtual drive. */
export interface MediaOrder {
  readonly host: HostRef;
  readonly nodeId: string;
  /** '' for none; null: only read the drive. */
  readonly desired: string | null;
  /** The last known content, '' for none. */
  readonly attached: string;
  /** The previous request to Ironic within the same change. */
  readonly requested: 'attach' | 'detach' | null;
}

export type MediaAnswer =
  /** Ironic has locked the node for it: wait until it is free, and ask again. */
  | { readonly kind: 'started'; readonly requested: 'attach' | 'detach' }
  | {
      readonly kind: 'done';
      readonly attached: string;
      /** The drive was only read, and holds something of which nothing is known. */
      readonly holdsUnknown?: true;
    }
  | { readonly kind: 'failed'; readonly message: string }
  /** Ironic does not know the node. */
  | { readonly kind: 'lost' };

/** Names of the Secrets with the data of a deployment. */
export type DeploymentData = Pick<ProvisionOrder, 'userData' | 'metaData' | 'networkData'>;

/** What a deprovisioning host asks for. */
export interface AskedAgain {
  readonly desired: DeploymentData & {
    readonly image?: Image | undefined;
    readonly customDeploy?: { readonly method: string } | undefined;
  };
  /** What its status says is deployed: counts only where the node has no record of it. */
  readonly shown: { readonly url: string; readonly method?: string | undefined };
}

export interface DeprovisionOrder extends NodeOrder {
  readonly retry: boolean;
  /** The run knows that the host is being deleted. */
  readonly isLeaving?: true;
  /**
   * Ironic has begun to undeploy for this order: what was deployed may be erased in part, and can't stay. Counts only
   * when the BareMetalHost says it, too.
   */
  readonly isBegun?: true;
  /**
   * What the BareMetalHost, which the activity has just read, asks for: a node that runs it is left as it is. Only for
   * the activity itself: what a workflow says about it does not count.
   */
  readonly askedAgain?: AskedAgain;
  /** The BareMetalHost shows what is deployed on it. Only for the activity itself, like `askedAgain`. */
  readonly isShown?: true;
}

export interface DeleteOrder {
  readonly host: HostRef;
  readonly nodeId: string;
  /** Delete the node even while Ironic works on it. */
  readonly isForced?: true;
  /** A node whose server is not off is answered as `done`, and stays. */
  readonly onlyIfOff?: true;
}

export interface WaitOrder {
  readonly host: HostRef;
  readonly nodeId: string;
  /**
   * `rest`: until Ironic stops changing the node's state; `on`/`off`: until that power state is reached and no change
   * is pending; `free`: until the node is not reserved.
   */
  readonly until: 'rest' | 'on' | 'off' | 'free';
  /** States in which the wait has failed, although it is over. */
  readonly failing?: readonly NodeState[];
}

/** null: Ironic does not know the node. */
export type WaitAnswer = IronicNode | null;
