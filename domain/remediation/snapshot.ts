import type { Metal3RemediationStatus } from '../../api/metal3remediation/schema.ts';
import type { Seen } from '../entity/seen.ts';
import { flag, list, nullable, object, optional, type Shape, table, text, whole } from '../message/shape.ts';
import type { SickHost } from './sick-host.ts';

export type RemediationPhase = NonNullable<Metal3RemediationStatus['phase']>;

/** A Metal3Remediation as the bridge last saw it, with everything that its decisions depend on. */
export interface RemediationSnapshot extends Seen {
  /** It or its Cluster is paused, or its Machine is moved to Cluster API. */
  readonly paused: boolean;
  readonly strategy?: {
    readonly type?: string;
    readonly retryLimit?: number;
    readonly timeoutSeconds?: number;
  };
  /** It has the labels or annotations of a Node that it deleted. */
  readonly hasBackup: boolean;
  /** null: an owner is named but was not found. */
  readonly machine?: SickMachine | null;
  /** null: the Metal3Machine names a host that does not exist; absent: it names none. */
  readonly host?: SickHost | null;
  /** Other Metal3Remediations of the same Machine. */
  readonly rivals: readonly Rival[];
  readonly status?: Metal3RemediationStatus;
}

/** The Machine that owns a Metal3Remediation. */
export interface SickMachine {
  /** `group/version` of a Machine of the Machine API. Its Node is in this cluster, and it is deleted to be replaced. */
  readonly api?: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly deleting: boolean;
  /** Its health check has succeeded. */
  readonly healthy: boolean;
  /** Name of its Metal3Machine; '' when there is none. With `api`, the Machine's own name: it has the host itself. */
  readonly metal3Machine: string;
  /** Name of its Cluster; '' with `api`. */
  readonly cluster: string;
  /** Name of its Node. */
  readonly node?: string;
  /** Cluster API's conditions about the Machine's Node: they change when the Node is gone or back. */
  readonly nodeNews: string;
}

export interface Rival {
  readonly name: string;
  readonly uid: string;
  readonly creationTimestamp: string;
  readonly phase?: RemediationPhase;
}

export const REMEDIATION_SHAPE: Shape = object({
  paused: flag,
  strategy: optional(
    object({ type: optional(text), retryLimit: optional(whole(0)), timeoutSeconds: optional(whole(0)) }),
  ),
  hasBackup: flag,
  machine: optional(
    nullable(
      object({
        api: optional(text),
        namespace: text,
        name: text,
        uid: text,
        deleting: flag,
        healthy: flag,
        metal3Machine: text,
        cluster: text,
        node: optional(text),
        nodeNews: text,
      }),
    ),
  ),
  host: optional(
    nullable(
      object({ namespace: text, name: text, uid: text, resourceVersion: text, state: text, heldBy: list(text, 1_000) }),
    ),
  ),
  rivals: list(object({ name: text, uid: text, creationTimestamp: text }), 1_000),
  status: optional(table),
});
