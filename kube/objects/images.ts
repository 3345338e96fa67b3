import { z } from 'zod';
import { dataImageStatus } from '../../api/dataimage/schema.ts';
import type { DataImageStatus } from '../../api/dataimage/types.ts';
import { ownerReference } from '../../api/meta/references.ts';
import { preprovisioningImageSpec, preprovisioningImageStatus } from '../../api/preprovisioningimage/schema.ts';
import type { PreprovisioningImageSpec, PreprovisioningImageStatus } from '../../api/preprovisioningimage/types.ts';
import { once } from '../once.ts';
import type { Entry } from '../store.ts';

/** A PreprovisioningImage, without malformed fields. */
interface ImageSeen {
  readonly generation: number;
  readonly deleting: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly finalizers: readonly string[];
  readonly spec: PreprovisioningImageSpec;
  readonly status: PreprovisioningImageStatus;
}

/** A DataImage, in the same way. */
export interface DataImageFacts {
  readonly url: string;
  readonly deleting: boolean;
  readonly finalizers: readonly string[];
  readonly owners: readonly z.infer<typeof ownerReference>[];
  readonly status: DataImageStatus;
}

const image = z.object({
  metadata: z.object({
    generation: z.number().default(0),
    deletionTimestamp: z.string().optional(),
    labels: z.record(z.string(), z.string()).default({}),
    finalizers: z.array(z.string()).default([]),
  }),
  spec: preprovisioningImageSpec.catch({}),
  status: preprovisioningImageStatus.catch({}),
});
const dataImage = z.object({
  metadata: z.object({
    deletionTimestamp: z.string().optional(),
    finalizers: z.array(z.string()).default([]),
    ownerReferences: z.array(ownerReference).default([]),
  }),
  spec: z.object({ url: z.string() }).catch({ url: '' }),
  status: dataImageStatus.catch({}),
});

const readImage = once((object): ImageSeen => {
  const { metadata, spec, status } = image.parse(object);
  const { generation, deletionTimestamp, labels, finalizers } = metadata;
  return { generation, deleting: deletionTimestamp !== undefined, labels, finalizers, spec, status };
});
export const imageOf = ({ object }: Entry): ImageSeen => readImage(object);

const readDataImage = once((object): DataImageFacts => {
  const { metadata, spec, status } = dataImage.parse(object);
  const { deletionTimestamp, finalizers, ownerReferences: owners } = metadata;
  return { url: spec.url, deleting: deletionTimestamp !== undefined, finalizers, owners, status };
});
export const dataImageOf = ({ object }: Entry): DataImageFacts => readDataImage(object);
