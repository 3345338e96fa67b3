import type { Condition } from '../entity/view.ts';

/** Which API is in charge of a Machine or MachineSet, in an OpenShift that moves them to Cluster API. */
export interface Authority {
  /** `MachineAPI`, `ClusterAPI` or `Migrating`. */
  readonly api: string;
  /** Only its spec names the API; its status does not yet. */
  readonly isUnsaid?: true;
}

const MACHINE_API = 'MachineAPI';

/** From the fields `authoritativeAPI` of status and spec; undefined: OpenShift does not move anything. */
export function authorityOf(status: string, spec: string): Authority | undefined {
  if (status !== '') return { api: status };
  return spec === '' ? undefined : { api: spec, isUnsaid: true };
}

/** True for an object whose controller is that of the other API, or which is being moved. */
export const isLeftAlone = (authority: Authority | undefined): boolean =>
  authority !== undefined && authority.api !== MACHINE_API;

export const whyLeftAlone = (authority: Authority | undefined): string =>
  `left alone: its authoritative API is ${authority?.api ?? MACHINE_API}`;

/** Field of the status and condition, as OpenShift's controllers write them. */
export function authorityShown(authority: Authority | undefined): {
  readonly status: { readonly authoritativeAPI?: string };
  readonly conditions: readonly Condition[];
} {
  if (authority === undefined) return { status: {}, conditions: [] };
  const { api, isUnsaid } = authority;
  const isPaused = isLeftAlone(authority);
  const paused: Condition = {
    type: 'Paused',
    status: isPaused ? 'True' : 'False',
    reason: isPaused ? 'AuthoritativeAPINotMachineAPI' : 'AuthoritativeAPIMachineAPI',
    message: `status.authoritativeAPI is ${api}`,
  };
  return { status: isUnsaid ? { authoritativeAPI: api } : {}, conditions: [paused] };
}
