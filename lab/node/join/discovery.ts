import { createHash, createHmac, timingSafeEqual, X509Certificate } from 'node:crypto';
import { Agent, fetch } from 'undici';
import { parse } from 'yaml';
import { z } from 'zod';
import { InvalidUserData, type JoinConfiguration } from '../user-data/kubeadm-config.ts';

/** A cluster as described by its signed cluster-info. */
export interface Discovered {
  readonly server: string;
  /** PEM. */
  readonly ca: string;
}

const clusterInfoSchema = z.object({ data: z.record(z.string(), z.string()) });
const kubeconfigSchema = z.object({
  clusters: z.array(z.object({ cluster: z.object({ 'certificate-authority-data': z.string() }) })).min(1),
});

/**
 * Verifies the cluster as `kubeadm join` does: the public cluster-info must be signed with the token, its CA must have
 * one of the given hashes, and over a connection that trusts this CA it must be the same.
 */
export async function discover(discovery: JoinConfiguration['discovery']): Promise<Discovered> {
  const { apiServerEndpoint, token, caCertHashes, unsafeSkipCAVerification } = discovery.bootstrapToken;
  const server = `https://${apiServerEndpoint}`;
  const introduction = await clusterInfo(server, { rejectUnauthorized: false });
  const text = verified(introduction, token);
  const { clusters } = kubeconfigSchema.parse(parse(text));
  const ca = Buffer.from(clusters[0]?.cluster['certificate-authority-data'] ?? '', 'base64').toString('utf8');
  const hashes = caCertHashes ?? [];
  if (hashes.length === 0 && unsafeSkipCAVerification !== true) throw new InvalidUserData('no CA hash is given');
  if (hashes.length > 0 && !hashes.includes(hashOf(ca))) {
    throw new InvalidUserData(`the CA of ${server} has the hash ${hashOf(ca)}, which is none of ${hashes.join(', ')}`);
  }
  if (verified(await clusterInfo(server, { ca }), token) !== text) {
    throw new InvalidUserData(`${server} serves a different cluster-info over a connection that trusts its CA`);
  }
  return { server, ca };
}

/** `sha256:` and the digest of the public key, as kubeadm pins it. */
export function hashOf(ca: string): string {
  const key = new X509Certificate(ca).publicKey.export({ type: 'spki', format: 'der' });
  return `sha256:${createHash('sha256').update(key).digest('hex')}`;
}

async function clusterInfo(server: string, connect: { ca: string } | { rejectUnauthorized: false }): Promise<unknown> {
  const dispatcher = new Agent({ connect });
  try {
    const url = `${server}/api/v1/namespaces/kube-public/configmaps/cluster-info`;
    const response = await fetch(url, { dispatcher, signal: AbortSignal.timeout(10_000) });
    const body = await response.text();
    if (!response.ok) throw new Error(`${url} answered ${response.status}: ${body.slice(0, 200)}`);
    return JSON.parse(body);
  } finally {
    await dispatcher.close();
  }
}

/** The kubeconfig in cluster-info, after its signature has been verified. */
function verified(introduction: unknown, token: string): string {
  const { data } = clusterInfoSchema.parse(introduction);
  const [id = '', secret = ''] = token.split('.');
  const text = data['kubeconfig'];
  const signature = data[`jws-kubeconfig-${id}`];
  if (text === undefined) throw new Error('cluster-info has no kubeconfig');
  // A signature is added shortly after its token is created, and removed with it.
  if (signature === undefined) throw new Error(`cluster-info is not signed with the token ${id}`);
  if (!isSignedWith({ id, secret }, signature, text)) {
    throw new InvalidUserData(`the signature of cluster-info was not made with the token ${id}`);
  }
  return text;
}

/** A detached JSON Web Signature, made with the secret half of the token. */
function isSignedWith(
  token: { readonly id: string; readonly secret: string },
  signature: string,
  text: string,
): boolean {
  const [header = '', content, signed = ''] = signature.split('.');
  const { alg, kid } = JSON.parse(Buffer.from(header, 'base64url').toString('utf8')) as { alg?: string; kid?: string };
  if (alg !== 'HS256' || kid !== token.id || content !== '') return false;
  const expected = createHmac('sha256', token.secret)
    .update(`${header}.${Buffer.from(text).toString('base64url')}`)
    .digest();
  const actual = Buffer.from(signed, 'base64url');
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}
