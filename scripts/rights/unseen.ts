import type { Unseen } from './compare.ts';

/** Rights that no test needs, with the reason for which an installation gives them. As few as possible. */
export const UNSEEN: readonly Unseen[] = [
  {
    account: 'temper-workers',
    group: 'metal3.io',
    resource: 'baremetalhosts/finalizers',
    verb: 'update',
    why: "No request: the admission plugin OwnerReferencesPermissionEnforcement, which OpenShift has, looks for this right when HardwareData gets its host as an owner with 'blockOwnerDeletion'.",
  },
];
