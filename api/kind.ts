/** A kind of objects as the API server names it. */
export interface FollowedKind {
  /**
   * The kind's name in the API, for example `Metal3Machine`. Together with its group where two kinds with workflows
   * have the same name: this text begins the ids of workflows.
   */
  readonly kind: string;
  /** The kind's name in the API, where `kind` is another. */
  readonly apiKind?: string;
  /** `group/version`; of several versions the stored one, which we read and write. */
  readonly apiVersion: string;
  readonly plural: string;
  /** Its objects are in no namespace. */
  readonly isClusterScoped?: true;
}

/** What a kind declares once, for all layers: plain data, so that any process may load it. */
export interface Kind extends FollowedKind {
  /** The version that is served besides, and converted. */
  readonly olderApiVersion?: string;
  /** Each of its objects has a workflow. */
  readonly workflow?: KindWorkflow;
  /** Our finalizers on its objects. */
  readonly finalizers?: readonly string[];
  /** Types of the conditions that follow the object. */
  readonly conditions?: readonly string[];
  /** Verbs for its objects, by the role that has them. */
  readonly rights?: Partial<Readonly<Record<RoleOfRights, Rights>>>;
}

export interface KindWorkflow {
  /** The name under which `workflows/index.ts` exports it. */
  readonly type: string;
  /** The value of `CONTROLLERS` with which the bridge cares for the kind, or `MACHINE_API`. */
  readonly controller: 'hosts' | 'machines' | 'addresses' | 'machine-api';
  /** One object serves many others: a workflow task may have thousands of signals or claims. */
  readonly hasLongTasks?: true;
  /** The first state in the list of runs, where that is not the provisioning state of a host. */
  readonly firstState?: string;
}

/** A kind whose objects have workflows. */
export interface EntityKind extends Kind {
  readonly workflow: KindWorkflow;
}

/** The roles of bridge and workers, and those that an installation without `addresses` in `CONTROLLERS` lacks. */
export type RoleOfRights = 'bridge' | 'workers' | 'bridge-addresses' | 'workers-addresses';

export interface Rights {
  readonly object: readonly Verb[];
  readonly status?: readonly Verb[];
  /** Verbs for the object that only a race leads to, so that no test is certain to need them. */
  readonly rare?: readonly Verb[];
}

export type Verb = 'create' | 'delete' | 'get' | 'list' | 'patch' | 'update' | 'watch';

/** Rights of the bridge for a kind with workflows. It reads an object anew when somebody has changed it meanwhile. */
export const FOLLOWED = { object: ['get', 'list', 'patch', 'watch'], status: ['patch'] } as const satisfies Rights;
/** The same, where only a race between two writers makes it read. */
export const FOLLOWED_IN_CACHE = { ...FOLLOWED, rare: ['get'] } as const satisfies Rights;
/** Rights of the bridge for a kind that is a part of others' snapshots. */
export const READ_IN_CACHE = { object: ['list', 'watch'] } as const satisfies Rights;
