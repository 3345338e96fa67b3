import type { Client } from '@temporalio/client';
import { z } from 'zod';
import { messageOf } from '../domain/message-of.ts';
import { connectKube, type Kube } from '../kube/client.ts';
import { endpointsIn } from '../lab/detached/endpoints.ts';
import { proxiesOf } from '../platform/config/proxy-settings.ts';

/** The endpoints of the lab in a folder, as far as they are used here. */
const labEndpoints = z.object({
  kubeconfig: z.string().optional(),
  temporalAddress: z.string().optional(),
  temporalNamespace: z.string().optional(),
  ironic: z.string().optional(),
});
export type Endpoints = z.infer<typeof labEndpoints>;

/** The endpoints of the lab in the folder; used where the environment names no servers. */
export const endpointsOf = (labFolder: string): Endpoints => labEndpoints.catch({}).parse(endpointsIn(labFolder));

/** The cluster of KUBECONFIG, else of the lab in the folder, else of `~/.kube/config`. */
export const openKube = ({ kubeconfig }: Endpoints): Kube =>
  connectKube(process.env['KUBECONFIG'] === undefined ? kubeconfig : undefined, { proxies: proxiesOf(process.env) });

/** The answer of Temporal; a text: why it could not be asked. */
export async function fromTemporal<T>(endpoints: Endpoints, ask: (client: Client) => Promise<T>): Promise<T | string> {
  if (!process.env['TEMPORAL_ADDRESS'] && endpoints.temporalAddress === undefined) return 'TEMPORAL_ADDRESS is not set';
  try {
    const { openClient } = await import('./temporal-client.ts');
    const temporal = await openClient(endpoints);
    try {
      return await ask(temporal.client);
    } finally {
      await temporal.close();
    }
  } catch (error) {
    return messageOf(error);
  }
}
