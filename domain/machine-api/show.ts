import { STEERING_ANNOTATIONS } from '../../api/baremetalhost/values.ts';
import type { Condition, Shown } from '../entity/view.ts';
import type { HostFacts } from '../machine/choose-host/host-facts.ts';
import { type MachineAddress, machineAddresses } from '../machine/memory/snapshot.ts';
import { isCut } from '../message/shape.ts';
import { authorityShown, isLeftAlone } from './authority.ts';
import { foreignHost, stateOf } from './host-order.ts';
import { errorOf, instanceOf } from './instance.ts';
import { type MachineApiMemory, ownsHost } from './memory.ts';
import { MACHINE_API_ANNOTATIONS, OPENSHIFT_API } from './names.ts';
import { providerIdFor } from './node-link.ts';

export type MachineApiPhase = 'Provisioning' | 'Provisioned' | 'Running' | 'Deleting' | 'Failed';

/** What the Machine should show. Fields of its status that others write are kept by the bridge. */
export function show(memory: MachineApiMemory): Shown {
  const { steered } = memory;
  return { ...shownOf(memory), ...(steered !== undefined && { ofKind: { steered } }) };
}

function shownOf(memory: MachineApiMemory): Shown {
  const { seen, trouble, retried } = memory;
  const { isController } = seen.settings;
  const authority = authorityShown(isController ? seen.authority : undefined);
  // The other API's controllers own the remaining status.
  if (isLeftAlone(seen.authority)) return isController ? onlyThat(authority) : {};
  if (!seen.isAdopted && !isController) return {};
  const own = ownsHost(memory) ? seen.host : undefined;
  // The annotation of a retry is removed when the retry has begun.
  const isRetried = retried !== undefined;
  const instance = instanceOf(memory);
  const error = errorOf(memory);
  const failing = trouble !== null && trouble.times >= TOLD_AFTER ? trouble : undefined;
  const told = [error?.message ?? [], failing?.message ?? []].flat();
  const addresses = addressesOf(own, instance, seen.deletionTimestamp !== undefined);
  return {
    finalizer: true,
    ...((own || isRetried) && {
      annotations: {
        ...(own && annotationsOf(own, seen.api)),
        ...(isRetried && { [STEERING_ANNOTATIONS.retry]: null }),
      },
    }),
    ...(isRetried && { retryTaken: retried }),
    ...(instance && !isCut(seen.providerID) && { spec: { providerID: providerIdFor(memory, instance) } }),
    status: {
      ...(isController && { phase: phaseOf(memory) }),
      ...(addresses.length > 0 && { addresses }),
      ...(error?.reason && { errorReason: error.reason }),
      ...(error && { errorMessage: error.message }),
      ...(isController && nodeRefOf(memory)),
      ...authority.status,
    },
    conditions: [associated(memory, told.length > 0 ? told.join(': ') : undefined), ...authority.conditions],
    timed: true,
  };
}

/** A view with the authority alone, without a status when there is nothing to write into it. */
export const onlyThat = ({ status, conditions }: ReturnType<typeof authorityShown>): Shown => ({
  ...(Object.keys(status).length > 0 && { status }),
  conditions,
});

/** Failures in a row after which the last one is shown. */
const TOLD_AFTER = 3;

const annotationsOf = (host: HostFacts, api: string): Record<string, string> => ({
  [MACHINE_API_ANNOTATIONS.host]: `${host.namespace}/${host.name}`,
  ...(api === OPENSHIFT_API && { [MACHINE_API_ANNOTATIONS.instanceState]: host.state }),
});

/**
 * No addresses before there is an instance, so that a new host with the address of an earlier one is not mistaken for
 * it; a Machine that is being deleted keeps its addresses.
 */
function addressesOf(
  own: HostFacts | undefined,
  instance: HostFacts | undefined,
  isDeleting: boolean,
): readonly MachineAddress[] {
  const host = isDeleting ? own : instance;
  return host === undefined ? [] : machineAddresses(host);
}

export function phaseOf(memory: MachineApiMemory): MachineApiPhase {
  const { seen } = memory;
  if (seen.deletionTimestamp !== undefined) return 'Deleting';
  if (seen.providerID !== '' && instanceOf(memory) === undefined) return 'Failed';
  if (instanceOf(memory) === undefined) return 'Provisioning';
  return seen.node === undefined ? 'Provisioned' : 'Running';
}

/**
 * The status loses a Node that no longer exists, also one that a user has written into the status. Before the machine
 * has an instance, a matching Node belongs to an earlier machine on this host.
 */
function nodeRefOf(memory: MachineApiMemory): object {
  const { node, nodeRef } = memory.seen;
  if (node === undefined || (node.name !== nodeRef && instanceOf(memory) === undefined)) return {};
  return { nodeRef: { apiVersion: 'v1', kind: 'Node', name: node.name, uid: node.uid } };
}

const CONDITION = 'AssociateBareMetalHost';

/** What the Machine waits for until it runs. */
function associated(memory: MachineApiMemory, problem: string | undefined): Condition {
  const { seen, noHost } = memory;
  const failed = (message: string): Condition => ({
    type: CONDITION,
    status: 'False',
    reason: 'AssociateBareMetalHostFailed',
    message,
  });
  if (problem !== undefined) return failed(problem);
  const { host } = seen;
  if (host === undefined) return failed(noHost === null ? 'no host yet' : `no available host found. ${noHost.reason}`);
  if (!ownsHost(memory)) return failed(foreignHost(host));
  const message = instanceOf(memory) === undefined ? `host ${host.name}: ${stateOf(host)}` : '';
  return { type: CONDITION, status: 'True', reason: 'AssociateBareMetalHostSuccess', message };
}
