import { z } from 'zod';
import { objectMeta } from '../meta/object-meta.ts';
import { bareMetalHostSpec } from './spec.ts';
import { bareMetalHostStatus } from './status.ts';

/** A BareMetalHost as read from the API server, defaults applied. */
export const bareMetalHost = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: objectMeta,
  spec: bareMetalHostSpec,
  status: bareMetalHostStatus.optional(),
});
