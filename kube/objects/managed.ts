import { z } from 'zod';
import { lenientText, orEmpty } from '../../api/meta/lenient.ts';
import type { ManagedEntry } from '../../domain/other-operators/running.ts';

const entry = z.object({ manager: lenientText, subresource: lenientText, time: lenientText });
const object = orEmpty({ metadata: orEmpty({ managedFields: z.array(entry).catch([]) }) });

/** The entries of an object's `metadata.managedFields`: field manager, subresource and time of each write. */
export const managedEntries = (written: unknown): readonly ManagedEntry[] =>
  object.parse(written).metadata.managedFields;
