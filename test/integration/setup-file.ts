import { createTemporalNamespace } from '../builders/temporal-namespace.ts';
import { sharedControlPlane } from './control-plane.ts';

const { temporalAddress, temporalNamespace } = sharedControlPlane();
await createTemporalNamespace(temporalAddress, temporalNamespace);
