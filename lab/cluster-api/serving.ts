import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAuthority, DAY_MS, issueCertificate } from '../../platform/tls/certificates.ts';

const LIFETIME_MS = 10 * 365 * DAY_MS;

/** A folder with `tls.crt` and `tls.key` for 127.0.0.1, and the CA for the API server in PEM. */
export interface ServingFiles {
  readonly folder: string;
  readonly ca: string;
}

/** Creates the certificate of a webhook server only once: with a new one all CRDs would have to be changed. */
export async function ensureServing(folder: string): Promise<ServingFiles> {
  const authorityFile = join(folder, 'ca.crt');
  if (existsSync(authorityFile)) return { folder, ca: readFileSync(authorityFile, 'utf8') };
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const authority = await createAuthority('CN=temper-lab-webhooks', LIFETIME_MS);
  const { cert, key } = await issueCertificate(authority, {
    subject: 'CN=webhooks',
    usages: ['serverAuth'],
    names: ['127.0.0.1', 'localhost'],
    lifetimeMs: LIFETIME_MS,
  });
  writeFileSync(join(folder, 'tls.crt'), cert, { mode: 0o600 });
  writeFileSync(join(folder, 'tls.key'), key, { mode: 0o600 });
  // Written last: its presence means that the other files are complete.
  writeFileSync(authorityFile, authority.cert, { mode: 0o600 });
  return { folder, ca: authority.cert };
}
