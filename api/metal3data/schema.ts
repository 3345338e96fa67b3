import { z } from 'zod';
import type { DeepReadonly } from '../meta/readonly.ts';
import { namedReference, secretReference } from '../meta/references.ts';
import { integer, word } from '../meta/scalars.ts';

export const metal3DataSpec = z
  .object({
    index: integer({ minimum: 0, format: 'int32' }).describe('Index of the machine within its template.').optional(),
    metaData: secretReference.describe('Secret for the rendered metadata.').optional(),
    networkData: secretReference.describe('Secret for the rendered network configuration.').optional(),
    claim: namedReference.describe('Metal3DataClaim that this object was created for.').optional(),
    template: namedReference.describe('Metal3DataTemplate that this object is rendered from.').optional(),
  })
  .describe('What to render for one machine.');
export type Metal3DataSpec = DeepReadonly<z.infer<typeof metal3DataSpec>>;

export const metal3DataStatus = z
  .object({
    ready: z.boolean().describe('Whether the Secrets are written.').optional(),
    errorMessage: word().describe('Why the Secrets cannot be written.').optional(),
  })
  .describe('Result of rendering.');
export type Metal3DataStatus = DeepReadonly<z.infer<typeof metal3DataStatus>>;
