/** Types alone: importing this file loads nothing, so workflows and domain can. */
import type { z } from 'zod';
import type { DeepReadonly } from '../meta/readonly.ts';
import type { preprovisioningImageSpec, preprovisioningImageStatus } from './schema.ts';

export type PreprovisioningImageSpec = DeepReadonly<z.infer<typeof preprovisioningImageSpec>>;
export type PreprovisioningImageStatus = DeepReadonly<z.infer<typeof preprovisioningImageStatus>>;
