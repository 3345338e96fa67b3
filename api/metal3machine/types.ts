/** Types only: importing this file loads no code, so workflows and domain can import it. */
import type { z } from 'zod';
import type { DeepReadonly } from '../meta/readonly.ts';
import type { metal3Machine, metal3MachineSpec, metal3MachineStatus, metal3MachineTemplateSpec } from './schema.ts';
import type {
  metal3MachineSpecV1Beta1,
  metal3MachineStatusV1Beta1,
  metal3MachineTemplateSpecV1Beta1,
} from './v1beta1.ts';

export type Metal3Machine = DeepReadonly<z.infer<typeof metal3Machine>>;
export type Metal3MachineSpec = DeepReadonly<z.infer<typeof metal3MachineSpec>>;
export type Metal3MachineStatus = DeepReadonly<z.infer<typeof metal3MachineStatus>>;
export type Metal3MachineTemplateSpec = DeepReadonly<z.infer<typeof metal3MachineTemplateSpec>>;
/** The spec as in a manifest, before defaults are applied. */
export type Metal3MachineTemplateSpecGiven = DeepReadonly<z.input<typeof metal3MachineTemplateSpec>>;

export type Metal3MachineSpecV1Beta1 = DeepReadonly<z.input<typeof metal3MachineSpecV1Beta1>>;
export type Metal3MachineStatusV1Beta1 = DeepReadonly<z.input<typeof metal3MachineStatusV1Beta1>>;
export type Metal3MachineTemplateSpecV1Beta1 = DeepReadonly<z.input<typeof metal3MachineTemplateSpecV1Beta1>>;
