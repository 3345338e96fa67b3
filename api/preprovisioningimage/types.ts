/** Types only: importing this file loads no code, so workflows and domain can import it. */
import type { z } from 'zod';
import type { DeepReadonly } from '../meta/readonly.ts';
import type { preprovisioningImageSpec, preprovisioningImageStatus } from './schema.ts';

export type PreprovisioningImageSpec = DeepReadonly<z.infer<typeof preprovisioningImageSpec>>;
export type PreprovisioningImageStatus = DeepReadonly<z.infer<typeof preprovisioningImageStatus>>;
