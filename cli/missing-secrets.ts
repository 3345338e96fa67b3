import type { MissingSecret } from '../domain/diagnosis/sight.ts';
import { readMetadata } from '../kube/objects/metadata.ts';
import { secretsNamedBy } from '../kube/objects/sight.ts';
import type { Reading } from './reading.ts';

/** The Secrets that the spec of a host names and that do not exist, as far as that may be read. */
export async function missingSecrets(
  reading: Pick<Reading, 'hasSecret'>,
  host: unknown,
): Promise<readonly MissingSecret[]> {
  const { namespace } = readMetadata(host);
  const found = await Promise.all(
    secretsNamedBy(host).map(async (secret) => ({
      secret,
      isThere: await reading.hasSecret({ namespace, name: secret.name }),
    })),
  );
  return found.filter(({ isThere }) => isThere === false).map(({ secret }) => secret);
}
