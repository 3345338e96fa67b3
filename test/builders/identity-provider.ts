import { createSign, generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';

export interface IdentityProvider {
  readonly url: string;
  readonly clientId: string;
  close(): Promise<void>;
}

const CLIENT = 'web-ui';
const KEY_ID = 'only';
const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/**
 * An identity provider as the Web UI needs it (OpenID Connect, code flow). The user chooses a name without a password,
 * and gets the access token of this name. The API server knows these tokens, as those of a provider that it trusts.
 */
export async function openIdentityProvider(accessTokens: Readonly<Record<string, string>>): Promise<IdentityProvider> {
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const codes = new Map<string, { readonly name: string; readonly nonce: string }>();
  const app = new Hono();
  const listener = getRequestListener(app.fetch);
  const server = createServer((request, response) => void listener(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  app.get('/.well-known/openid-configuration', (context) =>
    context.json({
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      jwks_uri: `${url}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    }),
  );
  app.get('/keys', (context) =>
    context.json({ keys: [{ ...keys.publicKey.export({ format: 'jwk' }), kid: KEY_ID, alg: 'RS256', use: 'sig' }] }),
  );
  app.get('/authorize', (context) => {
    const { redirect_uri = '', state = '', nonce = '' } = context.req.query();
    const links = Object.keys(accessTokens).map((name) => {
      const code = randomBytes(16).toString('hex');
      codes.set(code, { name, nonce });
      return `<a href="${redirect_uri}?${new URLSearchParams({ code, state }).toString().replace('&', '&amp;')}">${name}</a>`;
    });
    return context.html(links.join('\n'));
  });
  app.post('/token', async (context) => {
    const form = new URLSearchParams(await context.req.text());
    const found = codes.get(form.get('code') ?? '');
    if (found === undefined) return context.json({ error: 'invalid_grant' }, 400);
    const { name, nonce } = found;
    const now = Math.floor(Date.now() / 1_000);
    const claims = { iss: url, aud: CLIENT, sub: name, name, email: `${name}@example.com`, nonce, iat: now };
    const signed = `${base64({ alg: 'RS256', typ: 'JWT', kid: KEY_ID })}.${base64({ ...claims, exp: now + 86_400 })}`;
    const signature = createSign('RSA-SHA256').update(signed).sign(keys.privateKey, 'base64url');
    return context.json({
      access_token: accessTokens[name],
      token_type: 'Bearer',
      expires_in: 86_400,
      id_token: `${signed}.${signature}`,
    });
  });
  return {
    url,
    clientId: CLIENT,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
