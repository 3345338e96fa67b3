import 'reflect-metadata';
import { webcrypto, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import * as x509 from '@peculiar/x509';

x509.cryptoProvider.set(webcrypto as unknown as Crypto);
type Crypto = Parameters<typeof x509.cryptoProvider.set>[0];

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
export const DAY_MS = 24 * 3_600_000;
const SELF_SIGNED_LIFETIME_MS = 10 * 365 * DAY_MS;

/** A certificate and its key, both PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateOrder {
  readonly subject: string;
  readonly usages: readonly ('serverAuth' | 'clientAuth')[];
  /** DNS names and IP addresses of the certificate. */
  readonly names: readonly string[];
  readonly lifetimeMs: number;
}

/** The certificates in a PEM text; empty when one of them can't be read. */
export function certificatesIn(text: string): readonly X509Certificate[] {
  try {
    return (text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map(
      (one) => new X509Certificate(one),
    );
  } catch {
    return [];
  }
}

/** A self-signed CA. */
export const createAuthority = (subject: string, lifetimeMs: number): Promise<KeyPair> =>
  signItself(subject, lifetimeMs, []);

/** A self-signed certificate for these DNS names and IP addresses, which is its own CA. */
export const selfSigned = (names: readonly string[]): Promise<KeyPair> =>
  signItself(`CN=${names[0] ?? 'temper'}`, SELF_SIGNED_LIFETIME_MS, [
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    new x509.SubjectAlternativeNameExtension(names.map(nameOf)),
  ]);

async function signItself(name: string, lifetimeMs: number, extensions: readonly x509.Extension[]): Promise<KeyPair> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...lasting(lifetimeMs),
    serialNumber: serialNumber(),
    name,
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
      ...extensions,
    ],
  });
  return { cert: pem(certificate), key: await privatePem(keys) };
}

export async function issueCertificate(authority: KeyPair, order: CertificateOrder): Promise<KeyPair> {
  const keys = await newKeys();
  const usages = order.usages.map((usage) => x509.ExtendedKeyUsage[usage]);
  const certificate = await x509.X509CertificateGenerator.create({
    ...lasting(order.lifetimeMs),
    serialNumber: serialNumber(),
    subject: order.subject,
    issuer: new x509.X509Certificate(authority.cert).subject,
    publicKey: keys.publicKey,
    signingKey: await privateKey(authority.key),
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension(usages),
      ...(order.names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(order.names.map(nameOf))]),
    ],
  });
  return { cert: pem(certificate), key: await privatePem(keys) };
}

/** A new key and a certificate request for it; both PEM. */
export async function createRequest(subject: string): Promise<{ readonly request: string; readonly key: string }> {
  const keys = await newKeys();
  const made = await x509.Pkcs10CertificateRequestGenerator.create({
    name: subject,
    keys,
    signingAlgorithm: ALGORITHM,
  });
  return { request: `${made.toString('pem')}\n`, key: await privatePem(keys) };
}

const nameOf = (value: string): { type: 'ip' | 'dns'; value: string } => ({
  type: isIP(value) === 0 ? 'dns' : 'ip',
  value,
});

const newKeys = (): Promise<webcrypto.CryptoKeyPair> =>
  webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>;

const privateKey = (text: string): Promise<webcrypto.CryptoKey> =>
  webcrypto.subtle.importKey('pkcs8', x509.PemConverter.decodeFirst(text), ALGORITHM, false, ['sign']);

/** The certificate is valid from an hour ago, for clients whose clocks are behind. */
const lasting = (lifetimeMs: number): { notBefore: Date; notAfter: Date } => ({
  notBefore: new Date(Date.now() - 3_600_000),
  notAfter: new Date(Date.now() + lifetimeMs),
});

function serialNumber(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(16));
  // A serial number is positive: its first bit is zero.
  return `4${Buffer.from(bytes).toString('hex').slice(1)}`;
}

const pem = (certificate: x509.X509Certificate): string => `${certificate.toString('pem')}\n`;

async function privatePem(keys: webcrypto.CryptoKeyPair): Promise<string> {
  return `${x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY')}\n`;
}
