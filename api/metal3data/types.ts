/** Types only: importing this file loads no code, so workflows and domain can import it. */
import type { z } from 'zod';
import type { DeepReadonly } from '../meta/readonly.ts';
import type { metal3DataSpec, metal3DataStatus } from './schema.ts';
import type { metal3DataSpecV1Beta1, metal3DataStatusV1Beta1 } from './v1beta1.ts';

export type Metal3DataSpec = DeepReadonly<z.infer<typeof metal3DataSpec>>;
export type Metal3DataStatus = DeepReadonly<z.infer<typeof metal3DataStatus>>;

export type Metal3DataSpecV1Beta1 = DeepReadonly<z.input<typeof metal3DataSpecV1Beta1>>;
export type Metal3DataStatusV1Beta1 = DeepReadonly<z.input<typeof metal3DataStatusV1Beta1>>;
