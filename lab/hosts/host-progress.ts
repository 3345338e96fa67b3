/** The fields of a BareMetalHost that show its progress. */
export interface HostResource {
  readonly metadata?: { readonly name?: string | undefined; readonly namespace?: string | undefined };
  readonly spec?: {
    readonly image?: { readonly url?: string };
    readonly online?: boolean;
    readonly externallyProvisioned?: boolean;
  };
  readonly status?: {
    readonly operationalStatus?: string;
    readonly errorType?: string;
    readonly errorMessage?: string;
    readonly poweredOn?: boolean;
    readonly provisioning?: { readonly state?: string };
    readonly hardware?: { readonly cpu?: { readonly count?: number }; readonly ramMebibytes?: number };
  };
}

/** One line of the table on the terminal. */
export interface HostLine {
  readonly name: string;
  readonly state: string;
  readonly wanted: string;
  readonly power: 'on' | 'off' | '';
  readonly hardware: string;
  readonly error: string | undefined;
  readonly isThere: boolean;
}

export function progressOf(host: HostResource): HostLine {
  const { status } = host;
  const state = status?.provisioning?.state ?? '';
  const wanted = wantedState(host);
  const isPowered = status?.poweredOn;
  const error = errorOf(host);
  return {
    name: host.metadata?.name ?? '',
    state,
    wanted,
    power: isPowered === undefined ? '' : isPowered ? 'on' : 'off',
    hardware: hardwareOf(status?.hardware),
    error,
    isThere: error === undefined && state === wanted,
  };
}

/** True when the host is in its desired state, or shows an error: nothing more will happen soon. */
export const isSettled = (host: HostLine): boolean => host.isThere || host.error !== undefined;

function wantedState({ spec }: HostResource): string {
  if (spec?.externallyProvisioned === true) return 'externally provisioned';
  return spec?.image?.url === undefined || spec.image.url === '' ? 'available' : 'provisioned';
}

function errorOf({ status }: HostResource): string | undefined {
  if (status?.operationalStatus !== 'error' && (status?.errorType ?? '') === '') return undefined;
  return `${status?.errorType ?? 'error'}: ${status?.errorMessage ?? ''}`;
}

function hardwareOf(hardware: NonNullable<HostResource['status']>['hardware']): string {
  if (hardware === undefined) return '';
  return `${hardware.cpu?.count ?? '?'} CPU, ${Math.round((hardware.ramMebibytes ?? 0) / 1024)} GiB`;
}
