import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';
import { ALGORITHM, DAY_MS, lifetime, newKeys, privatePem, serialNumber } from '../../platform/certificates.ts';

/** Paths of a certificate and its key, both PEM. */
interface KeyPairFiles {
  readonly cert: string;
  readonly key: string;
}

export interface Pki {
  readonly ca: string;
  readonly apiserver: KeyPairFiles;
  readonly etcd: KeyPairFiles;
  readonly admin: KeyPairFiles;
  readonly serviceAccountKey: string;
  readonly serviceAccountPublicKey: string;
}

/** Makes the certificates of a lab once; later starts use the same, so that a printed kubeconfig stays good. */
export async function ensurePki(dir: string): Promise<Pki> {
  const pair = (name: string): KeyPairFiles => ({ cert: join(dir, `${name}.crt`), key: join(dir, `${name}.key`) });
  const pki: Pki = {
    ca: join(dir, 'ca.crt'),
    apiserver: pair('apiserver'),
    etcd: pair('etcd'),
    admin: pair('admin'),
    serviceAccountKey: join(dir, 'service-account.key'),
    serviceAccountPublicKey: join(dir, 'service-account.pub'),
  };
  if (!isUsable(pki)) await createPki(dir, pki);
  return pki;
}

function isUsable(pki: Pki): boolean {
  const files = [pki.ca, ...[pki.apiserver, pki.etcd, pki.admin].flatMap((pair) => [pair.cert, pair.key])];
  if (![...files, pki.serviceAccountKey, pki.serviceAccountPublicKey].every((file) => existsSync(file))) return false;
  const { notAfter } = new x509.X509Certificate(readFileSync(pki.ca, 'utf8'));
  return notAfter.getTime() > Date.now() + 30 * DAY_MS;
}

async function createPki(dir: string, pki: Pki): Promise<void> {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const authority = await createAuthority();
  const issue = async (files: KeyPairFiles, subject: string, extensions: x509.Extension[]): Promise<void> => {
    const keys = await newKeys();
    const certificate = await x509.X509CertificateGenerator.create({
      ...lifetime(),
      serialNumber: serialNumber(),
      subject,
      issuer: authority.certificate.subject,
      publicKey: keys.publicKey,
      signingKey: authority.keys.privateKey,
      signingAlgorithm: ALGORITHM,
      extensions: [new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true), ...extensions],
    });
    write(files.cert, certificate.toString('pem'));
    write(files.key, await privatePem(keys));
  };
  const usage = (...kinds: (keyof typeof x509.ExtendedKeyUsage)[]): x509.Extension =>
    new x509.ExtendedKeyUsageExtension(kinds.map((kind) => x509.ExtendedKeyUsage[kind]));
  await issue(pki.apiserver, 'CN=kube-apiserver', [usage('serverAuth', 'clientAuth'), loopbackNames()]);
  await issue(pki.etcd, 'CN=etcd', [usage('serverAuth', 'clientAuth'), loopbackNames()]);
  await issue(pki.admin, 'CN=lab-admin, O=system:masters', [usage('clientAuth')]);
  const serviceAccount = await newKeys();
  write(pki.serviceAccountKey, await privatePem(serviceAccount));
  const spki = await webcrypto.subtle.exportKey('spki', serviceAccount.publicKey);
  write(pki.serviceAccountPublicKey, x509.PemConverter.encode(spki, 'PUBLIC KEY'));
  // Last, because its presence says that the rest is complete.
  write(pki.ca, authority.certificate.toString('pem'));
}

/** The authority's key is not kept: nothing is signed after the first start. */
async function createAuthority(): Promise<{ certificate: x509.X509Certificate; keys: webcrypto.CryptoKeyPair }> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...lifetime(),
    serialNumber: serialNumber(),
    name: 'CN=temper-lab',
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
    ],
  });
  return { certificate, keys };
}

function loopbackNames(): x509.Extension {
  const dns = ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'];
  return new x509.SubjectAlternativeNameExtension([
    { type: 'ip', value: '127.0.0.1' },
    ...dns.map((value) => ({ type: 'dns' as const, value })),
  ]);
}

function write(path: string, content: string): void {
  writeFileSync(path, content.endsWith('\n') ? content : `${content}\n`, { mode: 0o600 });
}
