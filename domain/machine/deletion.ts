import { traitsOf } from '../states/table.ts';
import type { HostFacts } from './choose-host/host-facts.ts';
import { hostOrder, ownsHost } from './guards.ts';
import { type MachineMemory, withConditions, withoutRecorded } from './memory/memory.ts';
import { attempt, complain, dataComplaint, isNot, legacyIsNot, type Pass, waitPass } from './memory/pass.ts';
import type { HostChange } from './memory/step.ts';

const dataFailed = dataComplaint(
  'DisassociateM3MetaDataFailed',
  'failed to dissociate Metadata',
  'DisassociateM3MetaDataFailed',
);
const releaseFailed = dataComplaint('DeletionFailed', 'failed to delete Metal3Machine', 'DeletionFailed');

/** A machine that is being deleted: releases its data, deprovisions its host, releases the host. */
export function deletion(memory: MachineMemory, now: number): Pass {
  const { seen } = memory;
  const told = withConditions(
    memory,
    isNot('AssociateMetal3MachineMetaData', 'Deleting'),
    legacyIsNot('KubernetesNodeReady', 'Info', 'Deleting'),
  );
  const { claim, namespace, name } = seen;
  if (claim !== undefined && (claim.hasFinalizer || !claim.deleting)) {
    return attempt(told, { name: 'let data go', order: { namespace, name } }, dataFailed, now);
  }
  const { metaData, networkData } = seen.spec;
  const alone = withoutRecorded(told, [
    'renderedData',
    ...(metaData === undefined ? (['metaData'] as const) : []),
    ...(networkData === undefined ? (['networkData'] as const) : []),
  ]);
  return release(alone, now);
}

/** True when something is deployed on the host, or is about to be. */
export const isInUse = (host: HostFacts): boolean => host.hasImage || host.hasCustomDeploy || isBusy(host);

/** True while something runs on the host, or is being deployed or erased. */
export function isBusy({ state, poweredOn }: HostFacts): boolean {
  const { rest, server } = traitsOf(state);
  return rest === 'external' ? poweredOn : server.countsAsInUse;
}

function release(memory: MachineMemory, now: number): Pass {
  const { seen } = memory;
  const order = hostOrder(memory);
  const { host, owner, cluster } = seen;
  if (memory.released || host === undefined || order === undefined || !ownsHost(memory)) {
    return { memory, step: { kind: 'gone' } };
  }
  const { fastTrack } = seen.settings;
  const change = cleared(host, { fastTrack, hasUserData: memory.record.userData !== undefined });
  if (Object.keys(change).length > 0) {
    return attempt(memory, { name: 'deprovision host', order: { ...order, change } }, releaseFailed, now);
  }
  if (isBusy(host)) {
    const told = complain(memory, releaseFailed, 'deprovisioning BareMetalHost');
    const problem = host.errorMessage === '' ? '' : `: ${host.errorMessage}`;
    return waitPass(told, `waiting for host ${host.name} to be deprovisioned (${host.state}${problem})`);
  }
  const keepsHosts = cluster !== undefined && !cluster.deleting;
  const reuse = keepsHosts && {
    cluster: { namespace: cluster.namespace, name: cluster.name },
    ...(owner?.controlPlane && { controlPlane: owner.controlPlane }),
    ...(owner?.machineSet && { machineSet: owner.machineSet }),
  };
  const clusterName = owner?.clusterName ?? cluster?.name ?? '';
  const action = { name: 'release host', order: { ...order, clusterName, ...(reuse && { reuse }) } } as const;
  return attempt(memory, action, releaseFailed, now);
}

/**
 * What must still be removed from a host before it can be released. `hasUserData`: the machine has given the host its
 * user data.
 */
export function cleared(
  host: HostFacts,
  { fastTrack, hasUserData }: { readonly fastTrack: boolean; readonly hasUserData: boolean },
): HostChange {
  const online = host.disablePowerOff || (fastTrack && host.automatedCleaningMode !== 'disabled');
  return {
    ...(host.hasImage && { image: null }),
    ...(host.hasCustomDeploy && { customDeploy: null }),
    ...(host.userData && hasUserData && { userData: null }),
    ...(host.metaData && { metaData: null }),
    ...(host.networkData && { networkData: null }),
    ...(host.online !== online && { online }),
  };
}
