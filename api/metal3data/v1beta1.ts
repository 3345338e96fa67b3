import { z } from 'zod';
import type { DeepReadonly } from '../meta/readonly.ts';
import { objectReference, secretReference } from '../meta/references.ts';
import { integer } from '../meta/scalars.ts';

export const metal3DataSpecV1Beta1 = z
  .object({
    index: integer().describe('Index of the machine within its template.').optional(),
    templateReference: z.string().describe('Deprecated and without effect.').optional(),
    metaData: secretReference.describe('Secret for the rendered metadata.').optional(),
    networkData: secretReference.describe('Secret for the rendered network configuration.').optional(),
    claim: objectReference.describe('Metal3DataClaim that this object was created for.'),
    template: objectReference.describe('Metal3DataTemplate that this object is rendered from.'),
  })
  .describe('What to render for one machine.');
export type Metal3DataSpecV1Beta1 = DeepReadonly<z.input<typeof metal3DataSpecV1Beta1>>;

export const metal3DataStatusV1Beta1 = z
  .object({
    ready: z.boolean().describe('Whether the Secrets are written.').optional(),
    errorMessage: z.string().describe('Why the Secrets cannot be written.').optional(),
  })
  .describe('Result of rendering.');
export type Metal3DataStatusV1Beta1 = DeepReadonly<z.input<typeof metal3DataStatusV1Beta1>>;
