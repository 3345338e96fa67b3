import { parseBareMetalHost } from '../api/baremetalhost/parse.ts';
import type { BareMetalHost } from '../api/baremetalhost/types.ts';
import { FINALIZERS } from '../api/baremetalhost/values.ts';
import { identityOf } from '../domain/entity/seen.ts';
import { DEFAULT_HOST_SETTINGS } from '../domain/host/memory/settings.ts';
import type { SecretVersion } from '../domain/host/memory/snapshot.ts';
import type { HostToPlan } from '../domain/host/plan/from-object.ts';
import { carriedStatus } from '../kube/objects/carried-status.ts';

/** Stands for the version of a Secret that was not read. */
const AS_IT_IS = 'as it is';

/**
 * A BareMetalHost as plans need it, or the problems with it. Secrets count as existing and unchanged, except those that
 * are known to be missing. The settings of bridge and workers are not known here, so their defaults are used.
 */
export function plannedHost(
  object: unknown,
  missingSecrets: readonly string[] = [],
): HostToPlan | { readonly problems: readonly string[] } {
  const parsed = parseBareMetalHost(object);
  if (!parsed.ok) return { problems: parsed.problems };
  const { host } = parsed;
  const { metadata, spec } = host;
  const status = carriedStatus(host);
  const network = spec.preprovisioningNetworkDataName;
  const seen = (name: string, version = AS_IT_IS): SecretVersion => ({
    name,
    resourceVersion: missingSecrets.includes(name) ? null : version,
  });
  return {
    situation: host.status?.conditions?.find(({ type }) => type === 'Ready')?.message ?? '',
    held: metadata.finalizers?.includes(FINALIZERS.host) ?? false,
    snapshot: {
      ...identityOf(metadata),
      annotations: metadata.annotations ?? {},
      spec,
      settings: DEFAULT_HOST_SETTINGS,
      ...(spec.bmc?.credentialsName && { bmcSecret: seen(spec.bmc.credentialsName, goodVersion(host)) }),
      ...(network && { preprovisioningNetworkData: seen(network) }),
      hasHardwareData: false,
      hardwareArchitecture: host.status?.hardware?.cpu?.arch ?? '',
      hasHardware: host.status?.hardware !== undefined,
      ...(status !== undefined && { status }),
    },
  };
}

/** The version of the credentials that the BMC accepted last. */
function goodVersion({ spec, status }: BareMetalHost): string | undefined {
  const { credentials, credentialsVersion } = status?.goodCredentials ?? {};
  return credentials?.name === spec.bmc?.credentialsName ? credentialsVersion : undefined;
}
