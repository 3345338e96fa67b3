import { z } from 'zod';
import { dataImageStatus } from '../../api/dataimage/schema.ts';
import { once } from '../once.ts';
import { metadata } from './metadata.ts';

const dataImage = z.object({
  metadata,
  spec: z.object({ url: z.string() }).catch({ url: '' }),
  status: dataImageStatus.catch({}),
});
export type DataImageRead = z.infer<typeof dataImage>;

/** A malformed spec or status is read as empty. */
export const readDataImage = once((object): DataImageRead => dataImage.parse(object));
