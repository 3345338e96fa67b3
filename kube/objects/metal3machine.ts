import { z } from 'zod';
import { orEmpty } from '../../api/meta/lenient.ts';
import type { Metal3MachineFacts } from '../../domain/data/objects.ts';
import { MACHINE_ANNOTATIONS } from '../../domain/machine/names.ts';
import { once } from '../once.ts';
import { type Metadata, metadata, namedFacts, reference } from './metadata.ts';

const metal3Machine = z.object({ metadata, spec: orEmpty(z.object({ dataTemplate: reference })) });

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
