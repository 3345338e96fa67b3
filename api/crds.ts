import { bareMetalHostResource } from './baremetalhost/crd.ts';
import type { CustomResource } from './custom-resource.ts';
import { hardwareDataResource } from './hardwaredata/crd.ts';

/** Every kind we define. */
export const customResources: readonly CustomResource[] = [bareMetalHostResource, hardwareDataResource];
