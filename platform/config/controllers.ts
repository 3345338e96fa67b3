import type { z } from 'zod';
import { namesFrom } from './config-values.ts';

/** The objects that bridge and workers are responsible for, by the names of the setting `CONTROLLERS`. */
const CONTROLLERS = {
  /** BareMetalHosts with their images and servers. */
  hosts: 'hosts',
  /** Cluster API's side: clusters, machines with their data, remediations. */
  machines: 'machines',
  /** IPPools with their claims and addresses. */
  addresses: 'addresses',
} as const;
const ALL = Object.keys(CONTROLLERS).join(',');

export interface WithControllers {
  readonly CONTROLLERS: readonly string[];
}

export const controllersSetting = namesFrom(
  CONTROLLERS,
  `what this Temper cares for, comma-separated: \`hosts\`, \`machines\` of Cluster API with their data and remediations, and the \`addresses\` of IPPools. Without \`addresses\` another controller can serve the pools; \`addresses\` alone needs no Ironic, and a TEMPORAL_NAMESPACE of its own beside another Temper`,
).prefault(ALL);

export const cares = ({ CONTROLLERS: chosen }: WithControllers, what: keyof typeof CONTROLLERS): boolean =>
  chosen.includes(what);

/**
 * Adds an issue when no controller is chosen, or machines without hosts: the workflow of a host gives it to a machine.
 */
export function noUselessControllers({ CONTROLLERS: chosen }: WithControllers, context: z.RefinementCtx): void {
  const refuse = (message: string): void => context.addIssue({ code: 'custom', path: ['CONTROLLERS'], message });
  if (chosen.length === 0) refuse(`must name at least one of ${ALL}`);
  if (chosen.includes('machines') && !chosen.includes('hosts')) refuse('machines need hosts, too');
}
