import { isPutOff } from '../entity/retry.ts';
import { traitsOf } from '../states/table.ts';
import { associate, associated, claimOwn } from './associate/associate.ts';
import { associateData } from './associate/data.ts';
import { update } from './associate/fill.ts';
import type { LinkOrder } from './memory/link.ts';
import { type MachineMemory, withConditions, withRecord } from './memory/memory.ts';
import {
  actPass,
  attempt,
  dataComplaint,
  is,
  isNot,
  legacyIs,
  legacyIsNot,
  type Pass,
  waitPass,
} from './memory/pass.ts';
import { syncLabels } from './node-link/label-sync.ts';

const createFailed = dataComplaint('CreateError', 'failed to update BareMetalHost');
const updateFailed = dataComplaint('UpdateError', 'Failed to update the Metal3Machine');
const linkFailed = dataComplaint('CreateError', 'failed to look for the Node');

/** A machine that is not being deleted: from the search for a host to a linked Node. */
export function normal(memory: MachineMemory, now: number): Pass {
  const { seen, record } = memory;
  const isLinked = record.providerID !== '' && record.provisioned && seen.owner?.nodeRef !== undefined;
  if (isLinked) return keep(memory, now);

  if (!isBootstrapReady(memory)) {
    const message = 'Waiting for bootstrap data to be ready before proceeding';
    const told = withConditions(
      memory,
      isNot('AssociateBareMetalHost', 'WaitingForBootstrapData', message),
      legacyIsNot('AssociateBMH', 'Info', 'WaitingForBootstrapReady'),
    );
    return waitPass(told, 'waiting for the bootstrap provider to make its user data');
  }
  const claimed = claimOwn(memory, now);
  if ('step' in claimed) return claimed;
  if (record.host === '') return associate(claimed, now);

  const asked = associateData(associated(claimed), now);
  if ('step' in asked) return asked;
  const understood = withConditions(
    asked,
    is('AssociateMetal3MachineMetaData', 'AssociateMetal3MachineMetaDataSuccess'),
  );
  const updated = update(understood, createFailed, now);
  if ('step' in updated) return updated;
  const { host } = seen;
  if (host === undefined || traitsOf(host.state).rest !== 'deployed') {
    const state = host?.state || 'new';
    const problem = host?.errorMessage ? `: ${host.errorMessage}` : '';
    return waitPass(updated, `waiting for host ${record.host} to be provisioned (${state}${problem})`);
  }
  return link(updated, now);
}

function keep(memory: MachineMemory, now: number): Pass {
  const known = withConditions(memory, is('AssociateMetal3MachineMetaData', 'AssociateMetal3MachineMetaDataSuccess'));
  const claimed = claimOwn(known, now);
  if ('step' in claimed) return claimed;
  const updated = update(associated(claimed), updateFailed, now);
  if ('step' in updated) return updated;
  return syncLabels(updated, now, `runs on host ${updated.record.host} as Node ${memory.seen.owner?.nodeRef ?? ''}`);
}

function isBootstrapReady({ seen }: MachineMemory): boolean {
  const { owner } = seen;
  if (!owner) return false;
  return owner.configRef === undefined ? owner.dataSecretName !== undefined : owner.bootstrapReady;
}

/** Links the machine to its Node, and searches for the Node until it exists. */
function link(memory: MachineMemory, now: number): Pass {
  const { node, record, nextSearch } = memory;
  const order = linkOrder(memory);
  if (order === undefined) return waitPass(memory, 'its Cluster does not exist');
  if (node?.kind === 'linked') {
    const linked = linkedTo(memory, node.providerID);
    const isDue = nextSearch !== undefined && !isPutOff({ until: nextSearch.at }, now);
    if (isDue) return attempt(linked, { name: 'find node', order }, linkFailed, now);
    return waitPass(linked, `waiting for Cluster API to find Node ${node.node}`, nextSearch?.at);
  }
  if (node === null) return attempt(memory, { name: 'find node', order }, linkFailed, now);
  const found =
    node.kind === 'absent' && node.providerID !== undefined && record.providerID === ''
      ? withRecord(memory, { providerID: node.providerID, provisioned: true })
      : memory;
  const told = withConditions(found, isNot('AssociateMetal3MachineMetaData', node.reason, node.message));
  const { trouble } = memory;
  if (trouble?.action === 'find node' && isPutOff(trouble, now)) {
    return waitPass(
      told,
      `waiting to look for the Node again after: ${trouble.message}`,
      trouble.until,
      trouble.message,
    );
  }
  return actPass(told, { name: 'find node', order: linkOrder(told) ?? order, knownProblem: node.message });
}

/** Without a data template the machine needs no rendered data. */
function linkedTo(memory: MachineMemory, providerID: string): MachineMemory {
  const linked = withRecord(memory, { providerID, provisioned: true });
  const isSaid = memory.record.claims.Metal3DataReady?.status === 'True';
  if (isSaid) return linked;
  return withConditions(linked, is('Metal3DataReady', 'SecretsSetExternally'), legacyIs('Metal3DataReady'));
}

function linkOrder({ seen, record }: MachineMemory): LinkOrder | undefined {
  const { cluster, host, metal3Cluster, owner } = seen;
  if (cluster === undefined || host === undefined) return undefined;
  return {
    cluster: { namespace: cluster.namespace, name: cluster.name },
    host: { name: host.name, uid: host.uid },
    machine: { namespace: seen.namespace, name: seen.name },
    providerID: record.providerID,
    format: seen.settings.providerIdFormat,
    cloudProvider: metal3Cluster?.cloudProvider ?? false,
    labelled: owner?.configRef !== undefined,
    hostnames: record.addresses.flatMap(({ type, address }) => (type === 'Hostname' ? [address] : [])),
  };
}
