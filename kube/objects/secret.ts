import { z } from 'zod';
import { FINALIZERS, SECRET_LABEL } from '../../api/baremetalhost/values.ts';
import { groupOf } from '../../domain/cluster-api/names.ts';
import type { MarksOnSecret } from '../../domain/host/registration/secret-marks.ts';
import { KINDS } from '../kinds.ts';
import { type Metadata, metadata, readMetadata } from './metadata.ts';

const secret = z.object({
  metadata,
  type: z.string().default('Opaque'),
  data: z.record(z.string(), z.string()).nullish(),
});
export type Secret = z.infer<typeof secret>;

/** Not memoised: the content of a Secret stays in memory only while it is used. */
export const readSecretObject = (object: unknown): Secret => secret.parse(object);

/** undefined when the key is missing. */
export function textOf({ data }: Secret, key: string): string | undefined {
  const value = data?.[key];
  return value === undefined ? undefined : Buffer.from(value, 'base64').toString('utf8');
}

/** Of a Secret, only what we have put on it ourselves is cached; undefined: nothing. */
export function marksKept(object: unknown): MarksOnSecret | undefined {
  const marks = marksOf(readMetadata(object));
  return marks.held ? marks : undefined;
}

export const marksOf = ({ finalizers, labels, ownerReferences, deletionTimestamp }: Metadata): MarksOnSecret => ({
  held: finalizers.includes(FINALIZERS.secret),
  labelled: labels[SECRET_LABEL.key] === SECRET_LABEL.value,
  owners: hostsIn(ownerReferences).map(({ name, uid }) => ({ name, uid })),
  deleting: deletionTimestamp !== undefined,
});

/** The owners that are hosts. */
export const hostsIn = (owners: Metadata['ownerReferences']): Metadata['ownerReferences'] =>
  owners.filter(
    ({ kind, apiVersion }) => kind === KINDS.host.kind && groupOf(apiVersion) === groupOf(KINDS.host.apiVersion),
  );
