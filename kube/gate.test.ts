import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { connectConfiguredKube } from './configured.ts';
import { createGates } from './gate.ts';

/** The verdicts about tokens `t0`, `t1`, …; errors as texts. */
const verdicts = (count: number, isKnown: (token: string) => Promise<unknown>): Promise<unknown>[] =>
  Array.from({ length: count }, (_, at) => isKnown(`t${at}`).catch(String));

test('while many made-up tokens are checked, others are refused, and those that are known go on', async () => {
  const unanswered = Promise.withResolvers<void>();
  const { isKnown } = createGates({
    async request({ body }) {
      const { token } = (body as { readonly spec: { readonly token: string } }).spec;
      if (token === 'known') return { status: { authenticated: true, user: { username: 'ada' } } };
      await unanswered.promise;
      return { status: { authenticated: false } };
    },
  });
  expect(await isKnown('known')).toEqual({ kind: 'allowed' });
  const asked = verdicts(51, isKnown);
  expect(await asked.at(-1)).toContain('50 tokens are being checked');
  expect(await isKnown('known')).toEqual({ kind: 'allowed' });
  unanswered.resolve();
  expect(await Promise.all(asked.slice(0, 50))).toEqual(Array(50).fill({ kind: 'unknown' }));
  expect(await isKnown('t50')).toEqual({ kind: 'unknown' });
});

test('no request of the process waits behind made-up tokens', async () => {
  const arrived: string[] = [];
  /** When tokens may be checked. */
  const turn = Promise.withResolvers<void>();
  const server = createServer((incoming, outgoing) => {
    void text(incoming).then(() => {
      arrived.push(incoming.url ?? '');
      outgoing.end(JSON.stringify({ status: { authenticated: false } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const folder = await mkdtemp(join(tmpdir(), 'gate-'));
  const KUBECONFIG = join(folder, 'kubeconfig');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const config = {
    clusters: [{ name: 'c', cluster: { server: address, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'u', user: {} }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  await writeFile(KUBECONFIG, JSON.stringify(config));
  const api = connectConfiguredKube(
    { KUBECONFIG, KUBE_API_QPS: 20, KUBE_API_BURST: 40, NO_PROXY: '' },
    () => undefined,
    async () => turn.promise,
  );
  try {
    const asked = verdicts(45, api.gates.isKnown);
    await api.kube.request({ path: '/own' });
    expect(arrived).toEqual(['/own']);
    turn.resolve();
    await Promise.all(asked);
    expect(arrived).toHaveLength(46);
  } finally {
    await api.close();
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true });
  }
});
