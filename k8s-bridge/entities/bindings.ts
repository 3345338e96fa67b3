import { clusterBinding } from '../bindings/cluster.ts';
import { dataBinding } from '../bindings/data.ts';
import { dataTemplateBinding } from '../bindings/data-template.ts';
import type { Binding } from './binding.ts';

/** Every kind with a workflow of its own but BareMetalHost, in the order in which they are told after a start. */
export const BINDINGS: readonly Binding[] = [clusterBinding, dataTemplateBinding, dataBinding];
