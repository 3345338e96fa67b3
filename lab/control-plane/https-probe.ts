import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import type { Pki } from './certificates.ts';

/** Sends a request to a TLS server of the lab as administrator and fails unless the answer is 200. */
export function probe(url: string, pki: Pki): Promise<void> {
  const tls = { ca: readFileSync(pki.ca), cert: readFileSync(pki.admin.cert), key: readFileSync(pki.admin.key) };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { ...tls, timeout: 2_000, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        body += chunk;
      });
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`${url} answered ${response.statusCode}: ${body.slice(-300)}`));
      });
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`${url} did not answer within 2 s`)));
    outgoing.on('error', reject);
    outgoing.end();
  });
}
