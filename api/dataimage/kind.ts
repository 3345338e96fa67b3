import { METAL3 } from '../groups.ts';
import type { Kind } from '../kind.ts';

/** Keeps the DataImage until its medium is removed from the host's virtual drive. */
export const DATA_IMAGE_FINALIZER = 'dataimage.metal3.io';

export const dataImage = {
  kind: 'DataImage',
  apiVersion: METAL3,
  plural: 'dataimages',
  finalizers: [DATA_IMAGE_FINALIZER],
  rights: { bridge: { object: ['list', 'patch', 'watch'], status: ['patch'] }, workers: { object: ['get'] } },
} as const satisfies Kind;
