import { METAL3 } from '../groups.ts';
import type { Kind } from '../kind.ts';
import { DATA_IMAGE_FINALIZER } from './values.ts';

export const dataImage = {
  kind: 'DataImage',
  apiVersion: METAL3,
  plural: 'dataimages',
  finalizers: [DATA_IMAGE_FINALIZER],
  rights: { bridge: { object: ['list', 'patch', 'watch'], status: ['patch'] }, workers: { object: ['get'] } },
} as const satisfies Kind;
