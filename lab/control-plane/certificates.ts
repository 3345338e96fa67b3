import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CertificateOrder, createAuthority, DAY_MS, issueCertificate } from '../../platform/tls/certificates.ts';

const LIFETIME_MS = 10 * 365 * DAY_MS;

/** Paths of a certificate and its key in PEM. */
interface KeyPairFiles {
  readonly cert: string;
  readonly key: string;
}

export interface Pki {
  readonly ca: string;
  readonly apiserver: KeyPairFiles;
  readonly etcd: KeyPairFiles;
  /** The client certificate of etcd for the API servers of workload clusters. */
  readonly etcdClient: KeyPairFiles;
  readonly admin: KeyPairFiles;
  readonly serviceAccountKey: string;
  readonly serviceAccountPublicKey: string;
}

/** Creates the certificates of a lab once; later starts use the same, so that printed kubeconfigs stay valid. */
export async function ensurePki(dir: string): Promise<Pki> {
  const pki = pkiIn(dir);
  if (!isUsable(pki)) await createPki(dir, pki);
  return pki;
}

/** Paths of the certificates of a lab, whether they exist or not. */
export function pkiIn(dir: string): Pki {
  const pair = (name: string): KeyPairFiles => ({ cert: join(dir, `${name}.crt`), key: join(dir, `${name}.key`) });
  return {
    ca: join(dir, 'ca.crt'),
    apiserver: pair('apiserver'),
    etcd: pair('etcd'),
    etcdClient: pair('etcd-client'),
    admin: pair('admin'),
    serviceAccountKey: join(dir, 'service-account.key'),
    serviceAccountPublicKey: join(dir, 'service-account.pub'),
  };
}

function isUsable(pki: Pki): boolean {
  const files = [
    pki.ca,
    ...[pki.apiserver, pki.etcd, pki.etcdClient, pki.admin].flatMap((pair) => [pair.cert, pair.key]),
  ];
  if (![...files, pki.serviceAccountKey, pki.serviceAccountPublicKey].every((file) => existsSync(file))) return false;
  const { validTo } = new X509Certificate(readFileSync(pki.ca));
  return Date.parse(validTo) > Date.now() + 30 * DAY_MS;
}

/** The CA's key is not kept: nothing is signed after the first start. */
async function createPki(dir: string, pki: Pki): Promise<void> {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const authority = await createAuthority('CN=temper-lab', LIFETIME_MS);
  const issue = async (files: KeyPairFiles, order: Omit<CertificateOrder, 'lifetimeMs'>): Promise<void> => {
    const { cert, key } = await issueCertificate(authority, { ...order, lifetimeMs: LIFETIME_MS });
    write(files.cert, cert);
    write(files.key, key);
  };
  const server = { usages: ['serverAuth', 'clientAuth'], names: LOOPBACK } as const;
  await issue(pki.apiserver, { subject: 'CN=kube-apiserver', ...server });
  await issue(pki.etcd, { subject: 'CN=etcd', ...server });
  await issue(pki.etcdClient, { subject: 'CN=workload', usages: ['clientAuth'], names: [] });
  await issue(pki.admin, { subject: 'CN=lab-admin, O=system:masters', usages: ['clientAuth'], names: [] });
  const serviceAccount = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  write(pki.serviceAccountKey, serviceAccount.privateKey);
  write(pki.serviceAccountPublicKey, serviceAccount.publicKey);
  // Written last: its presence means that the other files are complete.
  write(pki.ca, authority.cert);
}

const LOOPBACK = ['127.0.0.1', 'localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'];

const write = (path: string, content: string): void => writeFileSync(path, content, { mode: 0o600 });

/** The administrator's certificate and the CA, in PEM. */
export const adminOf = ({ ca, admin }: Pki): { readonly ca: string; readonly cert: string; readonly key: string } => ({
  ca: readFileSync(ca, 'utf8'),
  cert: readFileSync(admin.cert, 'utf8'),
  key: readFileSync(admin.key, 'utf8'),
});
