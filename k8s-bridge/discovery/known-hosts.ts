import { z } from 'zod';
import { lenientText } from '../../api/meta/lenient.ts';
import type { KnownHost } from '../../domain/discovery/known-hosts.ts';
import { DISCOVERED_LABEL, DISCOVERY_ANNOTATIONS } from '../../domain/discovery/names.ts';
import { readObject } from '../../kube/objects/any-object.ts';
import { once } from '../../kube/once.ts';
import type { Entry } from '../../kube/store.ts';

/** Lenient: a malformed host must not stop discovery. */
const hostSchema = z.object({
  spec: z
    .object({
      bootMACAddress: lenientText,
      bmc: z.object({ address: lenientText, credentialsName: lenientText }).catch({ address: '', credentialsName: '' }),
    })
    .catch({ bootMACAddress: '', bmc: { address: '', credentialsName: '' } }),
  status: z
    .object({
      provisioning: z.object({ state: lenientText, ID: lenientText }).catch({ state: '', ID: '' }),
      hardware: z.object({ nics: z.array(z.object({ mac: lenientText })).catch([]) }).catch({ nics: [] }),
    })
    .catch({ provisioning: { state: '', ID: '' }, hardware: { nics: [] } }),
});

const hardwareSchema = z
  .object({ spec: z.object({ hardware: z.object({ nics: z.array(z.object({ mac: lenientText })) }) }) })
  .catch({ spec: { hardware: { nics: [] } } });

const readParts = once((object): z.infer<typeof hostSchema> => hostSchema.parse(object));
const macsOf = once((object): readonly string[] =>
  hardwareSchema.parse(object).spec.hardware.nics.map(({ mac }) => mac),
);

/** The fields of a host, and of its HardwareData if there is one, that discovery uses. */
export function knownHost(host: Entry, hardwareData: Entry | undefined): KnownHost {
  const { metadata } = readObject(host.object);
  const { spec, status } = readParts(host.object);
  const inspected = hardwareData === undefined ? [] : macsOf(hardwareData.object);
  const { namespace, name, uid, labels, annotations } = metadata;
  return {
    namespace,
    name,
    uid,
    state: status.provisioning.state,
    isDiscovered: labels[DISCOVERED_LABEL] === 'true',
    isDeleting: metadata.deletionTimestamp !== undefined,
    hasBmcDetails: spec.bmc.address !== '' || spec.bmc.credentialsName !== '',
    bmcAddress: spec.bmc.address,
    bootMac: spec.bootMACAddress.toLowerCase(),
    macs: [...status.hardware.nics.map(({ mac }) => mac), ...inspected]
      .map((mac) => mac.toLowerCase())
      .filter((mac) => mac !== ''),
    nodeId: status.provisioning.ID,
    discoveredNode: annotations[DISCOVERY_ANNOTATIONS.node] ?? '',
    createdAt: Date.parse(metadata.creationTimestamp) || 0,
  };
}
