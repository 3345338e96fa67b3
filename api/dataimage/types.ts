/** Types only: importing this file loads no code, so workflows and domain can import it. */
import type { z } from 'zod';
import type { DeepReadonly } from '../meta/readonly.ts';
import type { dataImageStatus } from './schema.ts';

export type DataImageStatus = DeepReadonly<z.infer<typeof dataImageStatus>>;
