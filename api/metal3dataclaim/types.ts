/** Types only: importing this file loads no code, so workflows and domain can import it. */
import type { z } from 'zod';
import type { DeepReadonly } from '../meta/readonly.ts';
import type { metal3DataClaimSpec, metal3DataClaimStatus } from './schema.ts';
import type { metal3DataClaimSpecV1Beta1, metal3DataClaimStatusV1Beta1 } from './v1beta1.ts';

export type Metal3DataClaimSpec = DeepReadonly<z.infer<typeof metal3DataClaimSpec>>;
export type Metal3DataClaimStatus = DeepReadonly<z.infer<typeof metal3DataClaimStatus>>;

export type Metal3DataClaimSpecV1Beta1 = DeepReadonly<z.input<typeof metal3DataClaimSpecV1Beta1>>;
export type Metal3DataClaimStatusV1Beta1 = DeepReadonly<z.input<typeof metal3DataClaimStatusV1Beta1>>;
