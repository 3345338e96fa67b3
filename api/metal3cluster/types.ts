/** Types only: importing this file loads no code, so workflows and domain can import it. */
import type { z } from 'zod';
import type { DeepReadonly } from '../meta/readonly.ts';
import type { metal3ClusterSpec, metal3ClusterStatus, metal3ClusterTemplateSpec } from './schema.ts';
import type {
  metal3ClusterSpecV1Beta1,
  metal3ClusterStatusV1Beta1,
  metal3ClusterTemplateSpecV1Beta1,
} from './v1beta1.ts';

export type Metal3ClusterSpec = DeepReadonly<z.infer<typeof metal3ClusterSpec>>;
export type Metal3ClusterStatus = DeepReadonly<z.infer<typeof metal3ClusterStatus>>;
export type Metal3ClusterTemplateSpec = DeepReadonly<z.infer<typeof metal3ClusterTemplateSpec>>;

export type Metal3ClusterSpecV1Beta1 = DeepReadonly<z.input<typeof metal3ClusterSpecV1Beta1>>;
export type Metal3ClusterStatusV1Beta1 = DeepReadonly<z.input<typeof metal3ClusterStatusV1Beta1>>;
export type Metal3ClusterTemplateSpecV1Beta1 = DeepReadonly<z.input<typeof metal3ClusterTemplateSpecV1Beta1>>;
