import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

x509.cryptoProvider.set(webcrypto as unknown as Crypto);
type Crypto = Parameters<typeof x509.cryptoProvider.set>[0];

export const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
export const DAY_MS = 24 * 3_600_000;
const LIFETIME_MS = 10 * 365 * DAY_MS;

/** Both PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** A certificate for these DNS names that vouches for itself, and so serves as its own authority. */
export async function selfSigned(dnsNames: readonly string[]): Promise<KeyPair> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...lifetime(),
    serialNumber: serialNumber(),
    name: `CN=${dnsNames[0] ?? 'temper'}`,
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(dnsNames.map((value) => ({ type: 'dns', value }))),
    ],
  });
  return { cert: certificate.toString('pem'), key: await privatePem(keys) };
}

export const newKeys = (): Promise<webcrypto.CryptoKeyPair> =>
  webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>;

export const lifetime = (): { notBefore: Date; notAfter: Date } => ({
  notBefore: new Date(Date.now() - 3_600_000),
  notAfter: new Date(Date.now() + LIFETIME_MS),
});

export function serialNumber(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(16));
  // A serial number is positive: its first bit is zero.
  return `4${Buffer.from(bytes).toString('hex').slice(1)}`;
}

export async function privatePem(keys: webcrypto.CryptoKeyPair): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
}
