import type { KnownHost } from '../../domain/discovery/known-hosts.ts';
import { DISCOVERED_LABEL, DISCOVERY_ANNOTATIONS } from '../../domain/discovery/names.ts';
import { readHost } from '../../kube/objects/baremetalhost.ts';
import { readHardwareData } from '../../kube/objects/hardwaredata.ts';
import type { Entry } from '../../kube/store.ts';

/** The fields of a host, and of its HardwareData if there is one, that discovery uses. */
export function knownHost(host: Entry, hardwareData: Entry | undefined): KnownHost {
  const { metadata, spec, status, bmcAddress, nics = [], nodeId, operationHistory } = readHost(host.object);
  const inspected = hardwareData === undefined ? [] : readHardwareData(hardwareData.object).macs;
  const { namespace, name, uid, labels, annotations } = metadata;
  const createdAt = Date.parse(metadata.creationTimestamp) || 0;
  const begun = [operationHistory['register'], operationHistory['inspect']];
  return {
    namespace,
    name,
    uid,
    state: status.state,
    isDiscovered: labels[DISCOVERED_LABEL] === 'true',
    isDeleting: metadata.deletionTimestamp !== undefined,
    hasBmcDetails: bmcAddress !== '' || spec.credentialsName !== '',
    bmcAddress,
    reportedBmcAddress: annotations[DISCOVERY_ANNOTATIONS.bmcAddress] ?? '',
    bootMac: (spec.bootMACAddress ?? '').toLowerCase(),
    macs: [...nics.map(({ mac = '' }) => mac), ...inspected]
      .filter((mac) => mac !== '')
      .map((mac) => mac.toLowerCase()),
    nodeId,
    discoveredNode: annotations[DISCOVERY_ANNOTATIONS.node] ?? '',
    createdAt,
    begunAt: Math.max(createdAt, ...begun.map((span) => Date.parse(span?.start ?? '') || 0)),
  };
}
