import { anyObject } from '../meta/object-meta.ts';
import { bareMetalHostSpec } from './spec.ts';
import { bareMetalHostStatus } from './status.ts';

/** A BareMetalHost as read from the API server, defaults applied. */
export const bareMetalHost = anyObject.extend({ spec: bareMetalHostSpec, status: bareMetalHostStatus.optional() });
