import type { OperationHistory } from '../../api/baremetalhost/types.ts';
import type { ProvisioningState } from '../../api/baremetalhost/values.ts';

/** The operation that a state is for. Another state with the same operation is treated in the same way. */
export type Work = 'register' | 'inspect' | 'prepare' | 'provision' | 'deprovision' | 'power off' | 'delete';

export type HistoryKey = keyof NonNullable<OperationHistory>;

/** When a host boots the deploy agent. `welcome`: an image is sent to Ironic when it exists, but not waited for. */
export type AgentNeed =
  | 'never'
  | 'welcome'
  | 'required'
  | 'unless inspected by the BMC'
  | 'unless cleaning is disabled'
  | 'while serviced';

/** Requests to Ironic that a host may ask for while its status shows a state. */
export type StateRequest = 'inspect' | 'prepare' | 'deploy' | 'examine' | 'undeploy';

/** Of a state in which a host is being worked on, and which ends by itself: of a registered host, any without `rest`. */
export interface Busy {
  /** Reason of the condition Progressing. */
  readonly reason: string;
  /** What is done, for people. */
  readonly words: string;
  /** How long the state usually takes, assumed until it was measured; minutes. */
  readonly minutes: number;
}

/** What the rules ask about a provisioning state, besides the rules of the state itself. */
export interface Traits {
  readonly work: Work | null;
  /** The entry of `status.operationHistory` that begins with the state and ends with it. */
  readonly history: HistoryKey | null;
  readonly busy: Busy | null;
  /** A host can be as desired in it, and no operation runs. `external`: something runs that others have deployed. */
  readonly rest: 'free' | 'deployed' | 'external' | null;
  readonly node: {
    /** The host has been registered, and its BMC has answered. */
    readonly isRegistered: boolean;
    /** Whenever Ironic lacks the node or its settings, the host is registered before the rules of the state apply. */
    readonly registersFirst: boolean;
    /** `status.provisioning.bootMode` follows the spec when the host enters the state. */
    readonly setsBootMode: boolean;
    readonly agentImage: AgentNeed;
  };
  readonly server: {
    /** Something that was deployed runs on it, or is being removed. */
    readonly runsImage: boolean;
    /** A machine that leaves the host waits: something runs on it, or is being deployed or erased. */
    readonly countsAsInUse: boolean;
    /** A Machine of the Machine API has an instance: something runs, or ran before the host was registered anew. */
    readonly hasInstance: boolean;
    /** The host is made ready for a deployment, or waits for one. */
    readonly isBeforeDeployment: boolean;
  };
  readonly operation: {
    /** An operation of Ironic runs that can be aborted. */
    readonly isAbortable: boolean;
    /** The host needs a slot in Ironic before it enters the state. */
    readonly needsSlot: boolean;
    /** A step that needs places in budgets has begun. `perhaps`: the host's node shows it. */
    readonly hasBegun: 'yes' | 'perhaps' | 'no';
    /** Hosts enter it in the middle of another state: how long that one lasted says nothing. */
    readonly interrupts: boolean;
  };
  readonly deletion: {
    /** The state that a deletion leads to; null in a state that is on the way already. */
    readonly leadsTo: ProvisioningState | null;
    /** The state belongs to a deletion alone. */
    readonly isPart: boolean;
    /** The state that follows when the deletion gives up the work of this one, because it keeps failing. */
    readonly givenUp: ProvisioningState | null;
  };
  readonly requests: readonly StateRequest[];
  /** The host waits for the details of its BMC. */
  readonly lacksBmc: boolean;
  /** `spec.externallyProvisioned` may be set. Upstream allows it in one state. */
  readonly mayBecomeExternal: boolean;
  /** The state follows an inspection: its HardwareData may not have been delivered yet. */
  readonly followsInspection: boolean;
  /**
   * How long any discovered machine may be that of a host without known MAC addresses; minutes. A registration takes
   * seconds, and Ironic waits half an hour for an inspection. null: the host is known.
   */
  readonly mayBeAnyMachine: number | null;
}
