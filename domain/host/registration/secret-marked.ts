import type { SecretMarked } from '../../machine/memory/step.ts';
import type { HostMemory } from '../memory/memory.ts';

/**
 * We have changed labels of the BMC's Secret, not its content: what is known of the version before is known of the
 * version after. Otherwise the host would be registered again, and say once more that the access to its BMC was verified.
 */
export function withSecretMarked(memory: HostMemory, { name, before, after }: SecretMarked): HostMemory {
  const { registration } = memory;
  if (memory.seen.spec.bmc?.credentialsName !== name) return memory;
  const { goodCredentials, triedCredentials, ...status } = memory.status;
  const known = <Of extends 'goodCredentials' | 'triedCredentials'>(of: Of, credentials: Credentials | undefined) => {
    const isSame = credentials?.credentials?.name === name && credentials.credentialsVersion === before;
    return credentials === undefined
      ? {}
      : { [of]: isSame ? { ...credentials, credentialsVersion: after } : credentials };
  };
  return {
    ...memory,
    ...(registration?.credentialsUsed === before && { registration: { ...registration, credentialsUsed: after } }),
    status: {
      ...status,
      ...known('goodCredentials', goodCredentials),
      ...known('triedCredentials', triedCredentials),
    },
  };
}

type Credentials = NonNullable<HostMemory['status']['goodCredentials']>;
