import type { Seen } from '../entity/seen.ts';
import type { Authority } from '../machine-api/authority.ts';
import { flag, list, object, optional, type Shape, text, whole } from '../message/shape.ts';

export type DeletePolicy = 'Random' | 'Newest' | 'Oldest';

/** A Machine that a MachineSet controls. */
export interface OwnedMachine {
  readonly name: string;
  readonly uid: string;
  readonly creationTimestamp: string;
  readonly deleting: boolean;
  /** Somebody has marked it: it goes first. */
  readonly marked: boolean;
  readonly failed: boolean;
  readonly hasNode: boolean;
  readonly isReady: boolean;
  /** It has all labels of the template. */
  readonly isLabelled: boolean;
}

/** A MachineSet of `machine.openshift.io` as the bridge last saw it. */
export interface MachineSetSnapshot extends Seen {
  /** Its Machines are made and deleted here; otherwise by OpenShift's controller. */
  readonly isController: boolean;
  readonly authority?: Authority;
  readonly replicas: number;
  readonly deletePolicy: DeletePolicy;
  /** Why no Machine is made or deleted. */
  readonly invalid?: string;
  /** How many Machines the hosts of the namespace allow, or why that is not known; absent: replicas are the user's. */
  readonly scale?: { readonly replicas: number } | { readonly suspended: string };
  /** Of very many, those that go first when there are too many, and the newest. */
  readonly machines: readonly OwnedMachine[];
  /** Numbers of its other Machines, all of which stay; absent: none. */
  readonly more?: {
    readonly present: number;
    readonly deleting: number;
    readonly labelled: number;
    readonly ready: number;
  };
  /** Machines that its selector matches and that have no controller; absent: none. */
  readonly orphans?: readonly Pick<OwnedMachine, 'name' | 'uid'>[];
}

export const MACHINE_SET_SHAPE: Shape = object({
  isController: flag,
  authority: optional(object({ api: text, isUnsaid: optional(flag) })),
  replicas: whole(0),
  deletePolicy: text,
  invalid: optional(text),
  scale: optional(object({ replicas: optional(whole(0)), suspended: optional(text) })),
  machines: list(
    object({
      name: text,
      uid: text,
      creationTimestamp: text,
      deleting: flag,
      marked: flag,
      failed: flag,
      hasNode: flag,
      isReady: flag,
      isLabelled: flag,
    }),
  ),
  more: optional(object({ present: whole(0), deleting: whole(0), labelled: whole(0), ready: whole(0) })),
  orphans: optional(list(object({ name: text, uid: text }))),
});
