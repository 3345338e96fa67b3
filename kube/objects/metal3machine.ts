import { z } from 'zod';
import { orEmpty } from '../../api/meta/lenient.ts';
import { CLUSTER_ANNOTATIONS, CLUSTER_LABELS } from '../../domain/cluster-api/names.ts';
import type { Metal3MachineFacts } from '../../domain/data/objects.ts';
import { CLONED_FROM_TEMPLATE, MACHINE_ANNOTATIONS } from '../../domain/machine/names.ts';
import { byName } from '../by-name.ts';
import type { Find } from '../gather.ts';
import { KINDS } from '../kinds.ts';
import { once } from '../once.ts';
import { type MachineRead, readMachine } from './machine.ts';
import { type Metadata, metadata, namedFacts, ownerOf, readMetadata, reference } from './metadata.ts';

const metal3Machine = z.object({ metadata, spec: orEmpty({ dataTemplate: reference }) });

export interface Metal3MachineRead {
  readonly metadata: Metadata;
  readonly facts: Metal3MachineFacts;
  /** Name of the host in its annotation; the host is always in its namespace. */
  readonly host: string | undefined;
}

/** The fields of a Metal3Machine that others use; its own workflow gets the whole spec. */
export const readMetal3Machine = once((object): Metal3MachineRead => {
  const { metadata, spec } = metal3Machine.parse(object);
  const parts = (metadata.annotations[MACHINE_ANNOTATIONS.host] ?? '').split('/');
  return {
    metadata,
    facts: { ...namedFacts(metadata), dataTemplate: spec.dataTemplate },
    host: parts.length > 2 ? undefined : parts.at(-1) || undefined,
  };
});

/** Name of the Metal3MachineTemplate from which a Metal3Machine was cloned. */
export function templateNameOf({ annotations }: Pick<Metadata, 'annotations'>): string | undefined {
  const isCloned = annotations[CLUSTER_ANNOTATIONS.clonedFromGroupKind] === CLONED_FROM_TEMPLATE;
  return isCloned ? annotations[CLUSTER_ANNOTATIONS.clonedFromName] : undefined;
}

interface Belonging {
  /** Name of the Machine that owns it; undefined without an owner. */
  readonly owner: string | undefined;
  /** That Machine, if it is found. */
  readonly machine: MachineRead | undefined;
  /** Name of its Cluster: by the label of the Machine, or of the Metal3Machine if there is no Machine; '' without one. */
  readonly cluster: string;
}

/** The Machine and the Cluster to which a Metal3Machine belongs. */
export function belongingOf(metal3Machine: unknown, find: Find): Belonging {
  const metadata = readMetadata(metal3Machine);
  const { namespace, labels } = metadata;
  const owner = ownerOf(metadata, KINDS.machine)?.name;
  const found = owner === undefined ? undefined : find(KINDS.machine, { namespace, name: owner });
  const machine = found === undefined ? undefined : readMachine(found);
  return { owner, machine, cluster: machine?.cluster ?? labels[CLUSTER_LABELS.clusterName] ?? '' };
}

/** Metal3Machines by the label of their Cluster; '' without the label. */
export const metal3MachinesByCluster = byName(
  KINDS.metal3Machine,
  (entry) => readMetadata(entry.object).labels[CLUSTER_LABELS.clusterName] ?? '',
);

export const metal3MachinesByTemplate = byName(KINDS.metal3Machine, ({ object }) =>
  templateNameOf(readMetadata(object)),
);

export const metal3MachinesByOwner = byName(
  KINDS.metal3Machine,
  (entry) => ownerOf(readMetadata(entry.object), KINDS.machine)?.name,
);

/** Metal3Machines by the host in their annotation. */
export const metal3MachinesByHost = byName(KINDS.metal3Machine, ({ object }) => readMetal3Machine(object).host);
