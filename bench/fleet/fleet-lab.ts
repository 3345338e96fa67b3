import { z } from 'zod';
import { type Checkout, inCheckoutLab } from '../checkout-lab.ts';
import type { MeasuredServices } from '../cpu.ts';

const endpointsSchema = z.object({
  kubeconfig: z.string(),
  temporalAddress: z.string(),
  temporalNamespace: z.string(),
});

export type FleetLab = z.infer<typeof endpointsSchema> & MeasuredServices;

/** A lab with that checkout's bridge and workers, and the fixture. */
export const inFleetLab = <T>(
  checkout: Checkout,
  signal: AbortSignal,
  use: (lab: FleetLab) => Promise<T>,
): Promise<T> =>
  inCheckoutLab(checkout, ['--provisioner', 'fixture'], signal, (lab) =>
    use({ ...endpointsSchema.parse(lab.endpoints), services: lab.services, pidOf: lab.pidOf }),
  );
