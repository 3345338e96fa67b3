import { z } from 'zod';
import { objectMeta } from '../../../api/meta/object-meta.ts';
import { metal3DataSpec, metal3DataStatus } from '../../../api/metal3data/schema.ts';
import { metal3DataClaimSpec, metal3DataClaimStatus } from '../../../api/metal3dataclaim/schema.ts';
import { metal3DataTemplateSpec } from '../../../api/metal3datatemplate/schema.ts';
import { groupOf, isPausedByAnnotation } from '../../../domain/cluster-api/names.ts';
import type { HostInputs, NamedFacts, PoolAddress } from '../../../domain/data/facts.ts';
import { DATA_FINALIZER } from '../../../domain/data/names.ts';
import type { AddressClaimFacts, DataFacts, Metal3MachineFacts, TemplateFacts } from '../../../domain/data/objects.ts';
import { MACHINE_ANNOTATIONS } from '../../../domain/machine/names.ts';
import { KINDS } from '../../../kube/kinds.ts';
import { once } from '../../../kube/once.ts';

/** Objects from the API server, reduced to the fields that Metal3Data uses. Lenient: other fields may be malformed. */

export type Meta = z.infer<typeof objectMeta>;

const withMeta = z.object({ metadata: objectMeta });
export const metaOf = once((object): Meta => withMeta.parse(object).metadata);

export function namedFacts(object: unknown): NamedFacts {
  const { namespace, name, labels = {}, annotations = {} } = metaOf(object);
  return { namespace, name, labels, annotations };
}

/** The first owner of a kind, in any version of its group. */
export function ownerOf(
  { ownerReferences = [] }: Pick<Meta, 'ownerReferences'>,
  { kind, apiVersion }: { readonly kind: string; readonly apiVersion: string },
): { readonly name: string; readonly uid: string } | undefined {
  const found = ownerReferences.find(
    (owner) => owner.kind === kind && groupOf(owner.apiVersion) === groupOf(apiVersion),
  );
  return found && { name: found.name, uid: found.uid };
}

const dataObject = z.object({
  metadata: objectMeta,
  spec: metal3DataSpec.catch({}),
  status: metal3DataStatus.optional().catch(undefined),
});
export type DataObject = z.infer<typeof dataObject>;
export const readData = once((object): DataObject => dataObject.parse(object));

export function dataFacts({ metadata, spec }: DataObject): DataFacts {
  const { namespace, name, uid = '' } = metadata;
  const { index = 0, template, claim, metaData, networkData } = spec;
  const secrets = { metaData: metaData?.name, networkData: networkData?.name };
  return { namespace, name, uid, index, template, claim, secrets };
}

const claimObject = z.object({
  metadata: objectMeta,
  spec: metal3DataClaimSpec.catch({}),
  status: metal3DataClaimStatus.catch({}).default({}),
});
export type ClaimObject = z.infer<typeof claimObject>;
export const readClaim = once((object): ClaimObject => claimObject.parse(object));
export const machineOfClaim = ({
  metadata,
}: ClaimObject): { readonly name: string; readonly uid: string } | undefined => ownerOf(metadata, KINDS.metal3Machine);

const templateObject = z.object({ metadata: objectMeta, spec: metal3DataTemplateSpec.prefault({}) });

export type ReadTemplate = { readonly template: TemplateFacts } | { readonly problem: string };

export function readTemplate(object: unknown): ReadTemplate {
  const read = templateObject.safeParse(object);
  if (!read.success) {
    const issues = read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    return { problem: `Metal3DataTemplate can not be read: ${issues.join('; ')}` };
  }
  const { metadata, spec } = read.data;
  return {
    template: {
      namespace: metadata.namespace,
      name: metadata.name,
      metaData: spec.metaData,
      networkData: spec.networkData,
    },
  };
}

const reference = z.object({ name: z.string().optional(), namespace: z.string().optional() });
const machineSpec = z.object({ spec: z.object({ dataTemplate: reference.optional().catch(undefined) }).catch({}) });

export const metal3MachineFacts = (object: unknown): Metal3MachineFacts => ({
  ...namedFacts(object),
  dataTemplate: machineSpec.parse(object).spec.dataTemplate,
});

/** Name of a Metal3Machine's host; it is always in the machine's namespace. */
export function hostNameOf({ annotations }: Pick<NamedFacts, 'annotations'>): string | undefined {
  const parts = (annotations[MACHINE_ANNOTATIONS.host] ?? '').split('/');
  return parts.length > 2 ? undefined : parts.at(-1) || undefined;
}

const pausable = z.object({ spec: z.object({ paused: z.boolean().optional() }).catch({}) });
export const isPaused = (object: unknown): boolean =>
  pausable.parse(object).spec.paused === true || isPausedByAnnotation(metaOf(object));

const nics = z.array(z.object({ name: z.string().optional(), mac: z.string().optional() }));
const hostObject = z.object({
  spec: z.object({ bootMACAddress: z.string().optional().catch(undefined) }).catch({}),
  status: z
    .object({ hardware: z.object({ nics: nics.optional() }).optional() })
    .optional()
    .catch(undefined),
});

export function hostInputs(object: unknown): HostInputs {
  const { spec, status } = hostObject.parse(object);
  return { ...namedFacts(object), bootMACAddress: spec.bootMACAddress, nics: status?.hardware?.nics };
}

const ipClaimObject = z.object({
  status: z.object({ address: reference.optional(), errorMessage: z.string().optional() }).catch({}).default({}),
});
const ipAddressClaimObject = z.object({ status: z.object({ addressRef: reference.optional() }).catch({}).default({}) });

const addressClaim = (object: unknown, address: string | undefined, errorMessage?: string): AddressClaimFacts => {
  const { name, deletionTimestamp, ownerReferences = [], finalizers = [] } = metaOf(object);
  return {
    name,
    deleting: deletionTimestamp !== undefined,
    owners: ownerReferences.map(({ uid }) => uid),
    held: finalizers.includes(DATA_FINALIZER),
    address: address || undefined,
    errorMessage,
  };
};

export function ipClaimFacts(object: unknown): AddressClaimFacts {
  const { status } = ipClaimObject.parse(object);
  return addressClaim(object, status.address?.name, status.errorMessage);
}

export const ipAddressClaimFacts = (object: unknown): AddressClaimFacts =>
  addressClaim(object, ipAddressClaimObject.parse(object).status.addressRef?.name);

const addressObject = z.object({
  spec: z.object({
    address: z.string(),
    prefix: z.number().int().optional(),
    gateway: z.string().optional(),
    dnsServers: z.array(z.string()).optional(),
  }),
});

/** For an IPAddress of either group; that of Cluster API has no name servers. */
export const addressFacts = (object: unknown): PoolAddress => addressObject.parse(object).spec;
