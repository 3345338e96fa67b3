import { createAuthority, DAY_MS, issueCertificate, type KeyPair } from '../../platform/tls/certificates.ts';

/** The name in the server's certificate. */
export const SERVER_NAME = 'temporal.example';

/** A CA with certificates for a Temporal and for a client of it. */
export interface TemporalCertificates {
  readonly authority: KeyPair;
  readonly server: KeyPair;
  /** Its common name is `client of <name>`. */
  readonly client: KeyPair;
}

export async function temporalCertificates(name: string): Promise<TemporalCertificates> {
  const authority = await createAuthority(`CN=${name}`, DAY_MS);
  const server = { subject: 'CN=temporal', usages: ['serverAuth'] as const, names: [SERVER_NAME], lifetimeMs: DAY_MS };
  const client = { subject: `CN=client of ${name}`, usages: ['clientAuth'] as const, names: [], lifetimeMs: DAY_MS };
  return {
    authority,
    server: await issueCertificate(authority, server),
    client: await issueCertificate(authority, client),
  };
}
