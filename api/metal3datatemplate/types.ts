/** Types only: importing this file loads no code, so workflows and domain can import it. */
import type { z } from 'zod';
import type { DeepReadonly } from '../meta/readonly.ts';
import type { metal3DataTemplateSpec, metal3DataTemplateStatus } from './schema.ts';
import type { metal3DataTemplateSpecV1Beta1, metal3DataTemplateStatusV1Beta1 } from './v1beta1.ts';

export type Metal3DataTemplateSpec = DeepReadonly<z.infer<typeof metal3DataTemplateSpec>>;
export type Metal3DataTemplateStatus = DeepReadonly<z.infer<typeof metal3DataTemplateStatus>>;
export type MetaData = NonNullable<Metal3DataTemplateSpec['metaData']>;
export type NetworkData = NonNullable<Metal3DataTemplateSpec['networkData']>;

/** The spec as in a manifest, before defaults are applied. */
export type Metal3DataTemplateSpecGiven = DeepReadonly<z.input<typeof metal3DataTemplateSpec>>;
export type MetaDataGiven = NonNullable<Metal3DataTemplateSpecGiven['metaData']>;
export type NetworkDataGiven = NonNullable<Metal3DataTemplateSpecGiven['networkData']>;

export type Metal3DataTemplateSpecV1Beta1 = DeepReadonly<z.input<typeof metal3DataTemplateSpecV1Beta1>>;
export type Metal3DataTemplateStatusV1Beta1 = DeepReadonly<z.input<typeof metal3DataTemplateStatusV1Beta1>>;
export type MetaDataV1Beta1 = NonNullable<Metal3DataTemplateSpecV1Beta1['metaData']>;
export type NetworkDataV1Beta1 = NonNullable<Metal3DataTemplateSpecV1Beta1['networkData']>;
