import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { believed } from '../../domain/clock.ts';
import { certificatesIn, DAY_MS, type KeyPair } from '../../platform/tls/certificates.ts';

/** A certificate that the bridge manages itself, as stored in its Secret. */
export interface OwnCertificate {
  /** Trusted CAs, PEM; the first one signs, the others are being replaced. */
  readonly ca: string;
  readonly caKey: string;
  readonly serving: KeyPair;
}

export const AUTHORITY_LIFETIME_MS = 10 * 365 * DAY_MS;
export const SERVING_LIFETIME_MS = 365 * DAY_MS;
const AUTHORITY_RENEWED_MS = 2 * 365 * DAY_MS;
const SERVING_RENEWED_MS = 120 * DAY_MS;

export interface Circumstances {
  /** The names under which the API server calls us. */
  readonly names: readonly string[];
  /** The CAs that the API server trusts: the bundle of every webhook. */
  readonly bundles: readonly string[];
  readonly now: number;
}

/** The next task; a CA signs a certificate only after the API server trusts it. */
export type CertificateTask = 'create a CA' | 'publish the CA' | 'sign a certificate' | 'serve';

export function nextTask(own: OwnCertificate | undefined, { names, bundles, now }: Circumstances): CertificateTask {
  // Text that is not a certificate is ignored: a broken Secret is created again.
  const [authority] = own === undefined ? [] : certificatesIn(own.ca);
  if (own === undefined || authority === undefined || own.caKey === '') return 'create a CA';
  if (!lasts(authority, now + AUTHORITY_RENEWED_MS) || !hasBegun(authority, now)) return 'create a CA';
  if (bundles.some((bundle) => bundle !== own.ca)) return 'publish the CA';
  const [serving] = certificatesIn(own.serving.cert);
  const isGood =
    serving !== undefined &&
    own.serving.key !== '' &&
    lasts(serving, now + SERVING_RENEWED_MS) &&
    hasBegun(serving, now) &&
    serving.verify(authority.publicKey) &&
    names.every((name) => (isIP(name) === 0 ? serving.checkHost(name) : serving.checkIP(name)) !== undefined);
  return isGood ? 'serve' : 'sign a certificate';
}

/** CAs of certificates that are still in use. */
export const stillTrusted = (ca: string, now: number): readonly string[] =>
  certificatesIn(ca)
    .filter((certificate) => lasts(certificate, now))
    .map((certificate) => certificate.toString());

const lasts = ({ validTo }: X509Certificate, until: number): boolean => Date.parse(validTo) > until;

/** A bridge whose clock was ahead has made a certificate that nobody accepts yet. */
const hasBegun = ({ validFrom }: X509Certificate, now: number): boolean => believed(Date.parse(validFrom), now) > 0;
