/** Types only: importing this file loads no code, so workflows and domain can import it. */
import type { z } from 'zod';
import type { DeepReadonly } from '../meta/readonly.ts';
import type {
  metal3RemediationSpec,
  metal3RemediationStatus,
  metal3RemediationTemplateSpec,
  metal3RemediationTemplateStatus,
} from './schema.ts';
import type {
  metal3RemediationSpecV1Beta1,
  metal3RemediationStatusV1Beta1,
  metal3RemediationTemplateSpecV1Beta1,
  metal3RemediationTemplateStatusV1Beta1,
} from './v1beta1.ts';

export type Metal3RemediationStatus = DeepReadonly<z.infer<typeof metal3RemediationStatus>>;
export type Metal3RemediationTemplateStatus = DeepReadonly<z.infer<typeof metal3RemediationTemplateStatus>>;
/** The spec as in a manifest, before defaults are applied. */
export type Metal3RemediationSpecGiven = DeepReadonly<z.input<typeof metal3RemediationSpec>>;
export type Metal3RemediationTemplateSpecGiven = DeepReadonly<z.input<typeof metal3RemediationTemplateSpec>>;

export type Metal3RemediationSpecV1Beta1 = DeepReadonly<z.input<typeof metal3RemediationSpecV1Beta1>>;
export type Metal3RemediationStatusV1Beta1 = DeepReadonly<z.input<typeof metal3RemediationStatusV1Beta1>>;
export type Metal3RemediationTemplateSpecV1Beta1 = DeepReadonly<z.input<typeof metal3RemediationTemplateSpecV1Beta1>>;
export type Metal3RemediationTemplateStatusV1Beta1 = DeepReadonly<
  z.input<typeof metal3RemediationTemplateStatusV1Beta1>
>;
