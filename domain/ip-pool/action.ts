import type { ObjectRef } from '../entity/object-ref.ts';
import type { AddressTask } from './decide.ts';

export type PoolAction =
  /** Gives the pool the labels of its Cluster and, unless `owner` is missing, names it as an owner. */
  | {
      readonly name: 'link';
      readonly pool: ObjectRef;
      readonly cluster: string;
      readonly owner?: { readonly uid: string };
    }
  /** The tasks of one activity, in their order. */
  | {
      readonly name: 'settle';
      readonly pool: ObjectRef;
      readonly namePrefix: string;
      readonly tasks: readonly AddressTask[];
    };

/** How a task ended. */
export type AddressTaskAnswer =
  | { readonly kind: 'done' }
  /** The claim is gone, or has an address: nothing was given. */
  | { readonly kind: 'needless' }
  /** An IPAddress of this name, or with this address, belongs to somebody else. */
  | { readonly kind: 'taken' }
  /** The API server refused, or the task can't be done now. */
  | { readonly kind: 'refused'; readonly message: string };

/** How each task ended, in the order of the tasks; 'linked' for the labels. */
export type PoolAnswer = readonly AddressTaskAnswer[] | 'linked';
