import { resolve } from 'node:path';
import type { Client } from '@temporalio/client';
import { messageOf } from '../domain/message-of.ts';
import { connectKube, type Kube } from '../kube/client.ts';
import { proxiesOf } from '../platform/config/proxy-settings.ts';
import { setVariables } from '../platform/config/set-variables.ts';
import { temporalCommand } from '../platform/temporal/temporal-command.ts';
import { endpointsIn, type ReadEndpoints } from './running-lab.ts';
import type { OpenClient } from './temporal-client.ts';

export interface Endpoints extends ReadEndpoints {
  /** How people call Temporal's command line for the lab; absent: it has no command for that. */
  readonly temporalCommand?: string;
}

/** The only lab whose Temporal `temper temporal` reaches. */
const OWN_LAB = '.lab';

/** The endpoints of the lab in the folder; used where the environment names no servers. */
export function endpointsOf(labFolder: string): Endpoints {
  const endpoints = endpointsIn(labFolder);
  const isOwn = endpoints.temporalAddress !== undefined && resolve(labFolder) === resolve(OWN_LAB);
  return { ...endpoints, ...(isOwn && { temporalCommand: 'npx temper temporal' }) };
}

/** How a person calls Temporal's command line for the Temporal that this program asks. */
export function temporalCommandOf({ temporalAddress, temporalNamespace, temporalCommand: ofLab }: Endpoints): string {
  const { TEMPORAL_ADDRESS: given, TEMPORAL_NAMESPACE = temporalNamespace || 'default' } = setVariables(process.env);
  if (given === undefined && ofLab !== undefined) return ofLab;
  const address = given ?? temporalAddress;
  if (address === undefined) return 'temporal';
  return temporalCommand({ TEMPORAL_COMMAND: undefined, TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE });
}

/** The cluster of KUBECONFIG, else of the lab in the folder, else of `~/.kube/config`. */
export const openKube = ({ kubeconfig }: Endpoints): Kube =>
  connectKube(process.env['KUBECONFIG'] ? undefined : kubeconfig, { proxies: proxiesOf(process.env) });

/** Closes the connection when it has the answer. */
export async function withKube<T>(endpoints: Endpoints, ask: (kube: Kube) => Promise<T>): Promise<T> {
  const kube = openKube(endpoints);
  try {
    return await ask(kube);
  } finally {
    await kube.close();
  }
}

/** The answer of Temporal; a text: why it could not be asked. */
export async function fromTemporal<T>(endpoints: Endpoints, ask: (client: Client) => Promise<T>): Promise<T | string> {
  const answer = await askTemporal(endpoints, ({ client }) => ask(client));
  return answer.kind === 'answer' ? answer.of : answer.message;
}

export type TemporalAnswer<T> =
  | { readonly kind: 'answer'; readonly of: T }
  /** Nobody knows where it is, or the request failed. */
  | { readonly kind: 'not asked'; readonly message: string }
  /** It does not answer. */
  | { readonly kind: 'down'; readonly message: string; readonly where: string; readonly why: string };

export async function askTemporal<T>(
  endpoints: Endpoints,
  ask: (temporal: OpenClient) => Promise<T>,
): Promise<TemporalAnswer<T>> {
  if (!process.env['TEMPORAL_ADDRESS'] && endpoints.temporalAddress === undefined)
    return { kind: 'not asked', message: 'TEMPORAL_ADDRESS is not set' };
  // The SDK is loaded only where Temporal is asked.
  const [{ openClient }, { TemporalUnreachable }] = await Promise.all([
    import('./temporal-client.ts'),
    import('../platform/temporal/connection-problem.ts'),
  ]);
  try {
    const temporal = await openClient(endpoints);
    try {
      return { kind: 'answer', of: await ask(temporal) };
    } finally {
      await temporal.close();
    }
  } catch (error) {
    const message = messageOf(error);
    if (!(error instanceof TemporalUnreachable)) return { kind: 'not asked', message };
    return { kind: 'down', message, where: error.where, why: error.why };
  }
}
