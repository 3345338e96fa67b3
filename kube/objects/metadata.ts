import { z } from 'zod';
import { lenientText, lenientTexts, maybe, maybeText } from '../../api/meta/lenient.ts';
import { ownerReference } from '../../api/meta/references.ts';
import { groupOf } from '../../domain/cluster-api/names.ts';
import type { NamedFacts } from '../../domain/data/facts.ts';
import { once } from '../once.ts';

/** Metadata of any object. What is missing, or malformed in an object that was written by hand, is read as empty. */
export const metadata = z.object({
  namespace: lenientText,
  name: z.string(),
  uid: lenientText,
  resourceVersion: lenientText,
  generation: z.number().catch(0),
  creationTimestamp: lenientText,
  deletionTimestamp: maybeText,
  labels: lenientTexts,
  annotations: lenientTexts,
  finalizers: z.array(z.string()).catch([]),
  ownerReferences: z.array(ownerReference).catch([]),
});
export type Metadata = z.infer<typeof metadata>;

const anyObject = z.object({ metadata });

export const readMetadata = once((object): Metadata => anyObject.parse(object).metadata);

/** A reference by name; undefined when it is missing or malformed. */
export const reference = maybe(z.object({ name: maybeText, namespace: maybeText }));

const list = z.object({ items: z.array(z.unknown()) });

/** The objects of a list. */
export const itemsOf = (answer: unknown): readonly unknown[] => list.parse(answer).items;

export const namedFacts = ({ namespace, name, labels, annotations }: Metadata): NamedFacts => ({
  namespace,
  name,
  labels,
  annotations,
});

/** The first owner of a kind, in any version of its group, with a name if one is given. */
export const ownerOf = (
  { ownerReferences }: Pick<Metadata, 'ownerReferences'>,
  { kind, apiVersion }: { readonly kind: string; readonly apiVersion: string },
  name?: string,
): Metadata['ownerReferences'][number] | undefined =>
  ownerReferences.find(
    (owner) =>
      (name === undefined || owner.name === name) &&
      owner.kind === kind &&
      groupOf(owner.apiVersion) === groupOf(apiVersion),
  );
