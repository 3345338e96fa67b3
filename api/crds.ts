import { bareMetalHostResource } from './baremetalhost/crd.ts';
import type { CustomResource } from './custom-resource.ts';
import { dataImageResource } from './dataimage/crd.ts';
import { hardwareDataResource } from './hardwaredata/crd.ts';
import { preprovisioningImageResource } from './preprovisioningimage/crd.ts';

/** Every kind we define. */
export const customResources: readonly CustomResource[] = [
  bareMetalHostResource,
  hardwareDataResource,
  preprovisioningImageResource,
  dataImageResource,
];
