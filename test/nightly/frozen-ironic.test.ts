import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { apply, createHost, fakeHostManifest, type Host, hostIn, hostThat, secret } from '../e2e/support/hosts.ts';
import { aLab, type TestLab } from '../e2e/support/lab.ts';
import { letFail, nodeOf } from '../e2e/support/metal.ts';
import { aReader, causesOf, type Reader } from '../e2e/support/reader.ts';

/** An Ironic that is frozen: it takes connections, and answers nothing. */
let lab: TestLab;
let folder: string;
let reader: Reader;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temper-frozen-'));
  lab = await aLab({ machines: 1 });
  reader = await aReader(lab, folder);
  await apply(lab, secret('fake-bmc', { username: 'admin', password: 'password' }));
});
afterAll(async () => {
  await reader?.kube.close();
  await lab?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true });
});

const conditions = z.array(z.object({ type: z.string(), status: z.string(), message: z.string() }));
const readyOf = ({ status }: Host): string => {
  const ready = conditions.parse(status['conditions'] ?? []).find(({ type }) => type === 'Ready');
  return `${ready?.status}: ${ready?.message}`;
};
const SILENCE = /; [^;]+: \d+ attempts? since \S+, last answer: .*no answer from Ironic at /s;
const saysSilence = (host: Host): boolean => SILENCE.test(readyOf(host));

test('the condition Ready says it of a host that begins and of one that Ironic works on, and explain names the cause', async () => {
  // Ironic waits for its agent, so it would do nothing more for a while anyway.
  await letFail(lab, 0, { kind: 'silent-agent' });
  const worked = await createHost(lab, 0);
  await hostIn(lab, worked, 'inspecting');
  await expect.poll(async () => (await nodeOf(lab, worked)).provision_state).toBe('inspect wait');
  await lab.kill('ironic', 'SIGSTOP');
  await apply(lab, fakeHostManifest('fresh', { online: true }));

  const said: Record<string, string> = {};
  for (const name of ['fresh', worked]) {
    const host = await hostThat(lab, name, 'saying so', saysSilence);
    expect(host.status).toMatchObject({ errorType: '', errorCount: 0 });
    said[name] = readyOf(host);
    await expect.poll(() => causesOf(reader, 'host', name)).toContain('ironic-down');
  }
  process.stdout.write(`${JSON.stringify(said, null, 2)}\n`);
  expect(said['fresh']).toMatch(/^False: registering .*; Register with Ironic: registerNode: \d+ attempts? since /s);
  expect(said[worked]).toMatch(/^False: inspecting .*; Inspect the hardware: .*: \d+ attempts since /s);

  await lab.kill('ironic', 'SIGCONT');
  await hostIn(lab, 'fresh', 'available');
  for (const name of ['fresh', worked]) {
    const thawed = await hostThat(lab, name, 'quiet again', (host) => !saysSilence(host));
    expect(thawed.status.errorCount).toBe(0);
  }
});
