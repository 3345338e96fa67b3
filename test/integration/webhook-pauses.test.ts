import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type FarServer, farServer } from './webhooks/far-server.ts';
import { firstRefusal, openScene, type Scene } from './webhooks/harness.ts';

/** Bursts of writes; the nightly run has 40. */
const BURSTS = Number(process.env['TEMPER_WEBHOOK_BURSTS'] ?? 2);
const AT_ONCE = 50;
/** Node closes idle connections after five to six seconds, unless it is told not to. */
const PAUSE_MS = 7_000;
/** The API server closes them after 90 seconds; only the nightly run waits for that. */
const LONG_PAUSE_MS = 100_000;

let scene: Scene;
let far: FarServer;
beforeAll(async () => {
  scene = await openScene(inject('kubeconfig'));
  const webhooks = await scene.start({ WEBHOOK_CERTIFICATES: 'self-managed' });
  far = await farServer(webhooks.port);
  await scene.register(far);
  await firstRefusal(scene);
});
afterAll(async () => {
  await scene.end();
  await far.close();
});

/** One write per host, all at once, so that the API server has many connections. */
const burst = (write: (name: string) => Promise<string>): Promise<readonly string[]> =>
  Promise.all(Array.from({ length: AT_ONCE }, (_, index) => write(`written-${index}`)));

test('no write fails after pauses in which the API server keeps its connections', async () => {
  const spec = { online: true, bmc: { address: 'redfish://10.0.0.1/redfish/v1/Systems/1', credentialsName: 'bmc' } };
  const host = { apiVersion: 'metal3.io/v1alpha1', kind: 'BareMetalHost', spec };
  const answers = [...(await burst((name) => scene.create('baremetalhosts', { ...host, metadata: { name } })))];
  for (let turn = 1; turn < BURSTS; turn += 1) {
    // The pause is what is tested.
    await sleep(turn === BURSTS - 1 && BURSTS > 2 ? LONG_PAUSE_MS : PAUSE_MS);
    const description = `turn ${turn}`;
    answers.push(...(await burst((name) => scene.patch('baremetalhosts', name, { spec: { description } }))));
  }
  expect(answers).toHaveLength(BURSTS * AT_ONCE);
  expect(answers.filter((answer) => answer !== 'accepted')).toEqual([]);
  expect(far.crossed).toBe(0);
});
