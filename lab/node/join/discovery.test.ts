import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createAuthority, DAY_MS, issueCertificate, type KeyPair } from '../../../platform/tls/certificates.ts';
import { kubeconfigText } from '../../control-plane/kubeconfig.ts';
import { type Discovered, discover, hashOf } from './discovery.ts';

const TOKEN = { id: 'abcdef', secret: '0123456789abcdef' };

let authority: KeyPair;
let serving: KeyPair;
let server: Server | undefined;

beforeAll(async () => {
  authority = await createAuthority('CN=kubernetes', DAY_MS);
  const names = ['127.0.0.1'];
  serving = await issueCertificate(authority, { subject: 'CN=api', usages: ['serverAuth'], names, lifetimeMs: DAY_MS });
});

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

describe('a cluster that introduces itself', () => {
  test('with the signature of the token and the authority of the hash is believed', async () => {
    const { endpoint } = await serve();

    expect(await found(endpoint)).toEqual({ server: `https://${endpoint}`, ca: authority.cert });
  });

  test('without a signature of this token may still get one', async () => {
    const { endpoint } = await serve({ signedWith: { ...TOKEN, id: 'other1' } });

    await expect(found(endpoint)).rejects.toThrow('cluster-info is not signed with the token abcdef');
    await expect(found(endpoint)).rejects.not.toMatchObject({ name: 'Refused' });
  });

  test('with a signature by another secret is not believed', async () => {
    const { endpoint } = await serve({ signedWith: { ...TOKEN, secret: 'fedcba9876543210' } });

    await expect(found(endpoint)).rejects.toMatchObject({
      name: 'Refused',
      message: expect.stringMatching(/signature/) as string,
    });
  });

  test('as another one than its hash says is not believed', async () => {
    const { endpoint } = await serve();
    const hash = `sha256:${'0'.repeat(64)}`;

    await expect(found(endpoint, [hash])).rejects.toMatchObject({
      name: 'Refused',
      message: `the CA of https://${endpoint} has the hash ${hashOf(authority.cert)}, which is none of ${hash}`,
    });
  });

  test('under an authority that did not make its certificate is not believed', async () => {
    const other = await createAuthority('CN=other', DAY_MS);
    const { endpoint } = await serve({ introduced: other.cert });

    await expect(found(endpoint, [hashOf(other.cert)])).rejects.toThrow('fetch failed');
  });

  test('to one that has no hash is not believed', async () => {
    const { endpoint } = await serve();

    await expect(found(endpoint, [])).rejects.toMatchObject({ name: 'Refused' });
  });
});

const found = (endpoint: string, caCertHashes = [hashOf(authority.cert)]): Promise<Discovered> =>
  discover({ bootstrapToken: { apiServerEndpoint: endpoint, token: `${TOKEN.id}.${TOKEN.secret}`, caCertHashes } });

/** An API server with its publicly readable part only. */
async function serve({ signedWith = TOKEN, introduced = authority.cert } = {}): Promise<{ endpoint: string }> {
  const text = kubeconfigText({ server: 'https://nobody', ca: introduced, user: { token: '' } }, 'kubelet');
  const data = { kubeconfig: text, [`jws-kubeconfig-${signedWith.id}`]: signature(text, signedWith) };
  const listening = createServer({ cert: serving.cert, key: serving.key }, (request, response) => {
    const isAsked = request.url === '/api/v1/namespaces/kube-public/configmaps/cluster-info';
    response.writeHead(isAsked ? 200 : 404).end(JSON.stringify({ data }));
  });
  server = listening;
  await new Promise<void>((done) => listening.listen(0, '127.0.0.1', done));
  return { endpoint: `127.0.0.1:${(listening.address() as AddressInfo).port}` };
}

function signature(text: string, { id, secret }: typeof TOKEN): string {
  const header = Buffer.from(JSON.stringify({ alg: 'HS256', kid: id })).toString('base64url');
  const content = Buffer.from(text).toString('base64url');
  return `${header}..${createHmac('sha256', secret).update(`${header}.${content}`).digest('base64url')}`;
}
