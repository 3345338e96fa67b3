/** Types alone: importing this file loads nothing, so workflows and domain can. */
import type { z } from 'zod';
import type { DeepReadonly } from '../meta/readonly.ts';
import type { dataImageStatus } from './schema.ts';

export type DataImageStatus = DeepReadonly<z.infer<typeof dataImageStatus>>;
