import { ALL_KINDS } from '../../api/kinds.ts';
import { groupOf } from '../../domain/cluster-api/names.ts';
import type { Unseen } from './compare.ts';

/** Rights that no test is certain to use, with the reason for which an installation gives them. As few as possible. */
export const UNSEEN: readonly Unseen[] = [
  ...ALL_KINDS.flatMap(({ apiVersion, plural: resource, rights }) =>
    (rights?.bridge?.rare ?? []).map(
      (verb): Unseen => ({
        account: 'temper-bridge',
        group: groupOf(apiVersion),
        resource,
        verb,
        why: 'The bridge reads an object anew when somebody has changed it since it was last seen, and its status is to be written.',
        isRare: true,
      }),
    ),
  ),
  ...(
    [
      ['baremetalhosts', 'create'],
      ['baremetalhosts', 'delete'],
      ['hardwaredata', 'create'],
    ] as const
  ).map(
    ([resource, verb]): Unseen => ({
      account: 'temper-bridge',
      group: 'metal3.io',
      resource,
      verb,
      why: 'Discovery: test/e2e/discovery.test.ts needs it, which runs at night.',
      isOfNight: true,
    }),
  ),
  {
    account: 'temper-bridge',
    group: '',
    resource: 'secrets',
    verb: 'patch',
    why: 'The label of a Secret with the network data of a deploy image: test/e2e/virtual-media.test.ts needs it, which runs at night.',
    isOfNight: true,
  },
  {
    account: 'temper-workers',
    group: 'machine.openshift.io',
    resource: 'machines',
    verb: 'delete',
    why: 'A MachineSet that is scaled down: test/e2e/machine-sets.test.ts needs it, which runs at night.',
    isOfNight: true,
  },
  ...['impersonate', 'update'].map(
    (verb): Unseen => ({
      account: 'temper-bridge',
      group: 'metal3.io',
      resource: 'baremetalhosts/approval',
      verb,
      why: 'No request: the ValidatingAdmissionPolicy of approvals.yaml looks for this right when the bridge writes the answer of a person.',
    }),
  ),
  ...['temper-workers', 'temper-bridge'].map(
    (account): Unseen => ({
      account,
      group: 'metal3.io',
      resource: 'baremetalhosts/validation',
      verb: 'skip',
      why: 'No request: the condition of the webhook in webhooks.yaml looks for this right.',
    }),
  ),
  ...['temper-workers', 'temper-bridge'].map(
    (account): Unseen => ({
      account,
      group: 'metal3.io',
      resource: 'baremetalhosts/finalizers',
      verb: 'update',
      why: "No request: the admission plugin OwnerReferencesPermissionEnforcement, which OpenShift has, looks for this right when HardwareData gets its host as an owner with 'blockOwnerDeletion'.",
    }),
  ),
  ...(['machines.machine.openshift.io', 'machinesets.machine.openshift.io', 'machines.cluster.k8s.io'] as const).map(
    (name): Unseen => ({
      account: 'temper-bridge',
      group: name.slice(name.indexOf('.') + 1),
      resource: name.slice(0, name.indexOf('.')),
      verb: 'get',
      why: 'As for those: when somebody has changed a Machine since it was last seen.',
      isRare: true,
    }),
  ),
];
