import type { LeaseSeen, ManagedEntry } from '../other-operators/running.ts';

/** What there is in a cluster before a switch from Metal3, as far as it was read. */
export interface MigrationSurvey {
  readonly leases: readonly LeaseSeen[];
  readonly deployments: readonly DeploymentSeen[];
  readonly webhooks: readonly WebhookSeen[];
  readonly kinds: readonly KindSeen[];
}

export interface DeploymentSeen {
  readonly namespace: string;
  readonly name: string;
  readonly images: readonly string[];
  readonly replicas: number;
}

/** A webhook about one of our kinds. */
export interface WebhookSeen {
  readonly kind: 'ValidatingWebhookConfiguration' | 'MutatingWebhookConfiguration' | 'CustomResourceDefinition';
  /** Name of the configuration, or of the CRD whose versions it converts. */
  readonly name: string;
  /** `<plural>.<group>` of the kinds about which the API server asks it. */
  readonly resources: readonly string[];
  /** The Service, in words. */
  readonly server: string;
  /** The namespace of the Service. */
  readonly namespace: string;
  readonly isServed: boolean;
  /** Its Service leads to Temper. */
  readonly isTempers: boolean;
  /** Without an answer, the write is refused. */
  readonly isRequired: boolean;
}

/** A kind of Metal3, or one of Cluster API that Temper reads. */
export interface KindSeen {
  /** Name of its CRD: `<plural>.<group>`. */
  readonly crd: string;
  readonly kind: string;
  /** The version that Temper reads; absent: Temper does not have the kind. */
  readonly version?: string;
  /** The versions in which it is served; none: it is not installed. */
  readonly served: readonly string[];
  readonly objects: readonly ObjectSeen[];
}

export interface ObjectSeen {
  readonly namespace: string;
  readonly name: string;
  readonly isDeleting: boolean;
  readonly annotations: readonly string[];
  readonly finalizers: readonly string[];
  /** Types of its conditions. */
  readonly conditions: readonly string[];
  readonly managed: readonly ManagedEntry[];
  /** Its spec asks for something besides what its host shows. */
  readonly asks: boolean;
  readonly host?: HostSeen;
}

export interface HostSeen {
  readonly state: string;
  readonly operationalStatus: string;
  /** '' for none. */
  readonly bmcAddress: string;
  /** Why it can't be read; empty: it can. */
  readonly problems: readonly string[];
}
