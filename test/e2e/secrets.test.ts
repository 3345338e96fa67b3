import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { deflateSync, gzipSync } from 'node:zlib';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BMC_PASSWORD } from './setup/bmc-password.ts';
import { withTemporal } from './support/histories.ts';
import { apply, bmcSecret, createHost, hostIn, hostManifest, hostThat, kubectl, secret } from './support/hosts.ts';
import type { TestLab } from './support/lab.ts';
import { machineOf } from './support/metal.ts';
import { holds } from './support/needle.ts';
import { joinLab } from './support/place/join.ts';

/** Passwords and user data go from the Secret to Ironic and nowhere else. */
const WRONG_PASSWORD = 'canary-wrong-password-c2b1d4';
const USER_DATA = 'canary-user-data-51d2e8';
const PLANTED = 'canary-planted-0b44aa';
let lab: TestLab;
const places = new Map<string, Buffer>();

beforeAll(async () => {
  lab = await joinLab({
    machines: 2,
    temperEnv: { LOG_LEVEL: 'trace' },
  });
  // One host with a canary password and user data; one whose password is wrong and could therefore appear in errors.
  await apply(lab, secret('host-0-user-data', { userData: `#cloud-config\n# ${USER_DATA}\n` }));
  await createHost(lab, 0, { image: lab.endpoints.testImage, userData: { name: 'host-0-user-data' } });
  const manifest = hostManifest(lab, 1);
  await apply(lab, bmcSecret(lab, 'host-1', { password: WRONG_PASSWORD }), manifest);
  await hostThat(lab, 'host-1', 'refused', ({ status }) => status.errorType === 'registration error');
  await hostIn(lab, 'host-0', 'provisioned');
  await withTemporal(lab, (client) =>
    client.workflow.start('plantedWorkflow', {
      taskQueue: 'nobody',
      workflowId: 'planted',
      args: [{ canary: PLANTED, packed: gzipSync(`${PLANTED}-packed`).toString('base64') }],
    }),
  );
  await collect();
});
afterAll(() => lab?.stop());

async function collect(): Promise<void> {
  places.set('objects', Buffer.from(await kubectl(lab, ['get', 'bmh,hardwaredata,events', '-A', '-o', 'yaml'])));
  await withTemporal(lab, async (client) => {
    for await (const { workflowId, runId } of client.workflow.list()) {
      const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
      places.set(`history of ${workflowId}`, Buffer.from(historyToJSON(history)));
    }
  });
  // All logs: ours, Temporal's, the API server's, Ironic's, and the proxy's recordings.
  const own = dirname(dirname(lab.logOf('bridge')));
  for (const folder of [
    lab.dir,
    join(lab.dir, 'logs'),
    join(lab.dir, 'ironic'),
    join(own, 'logs'),
    join(own, 'proxy'),
  ]) {
    for (const name of await readdir(folder)) {
      const kind = KINDS.find(([, pattern]) => pattern.test(name))?.[0];
      const file = join(folder, name);
      if (kind !== undefined) places.set(`${kind} ${relative(lab.dir, file)}`, await readFile(file));
    }
  }
}

const KINDS = [
  ['log', /\.log$|^requests\.jsonl$/],
  ['database', /^temporal.*\.(db|sqlite)/],
] as const;

const found = (needle: string): string[] =>
  [...places].filter(([, content]) => holds(content, needle)).map(([place]) => place);

describe('the search', () => {
  test('looks at Temporal’s database and histories, the logs and the objects', () => {
    expect([...places.keys()].join('\n')).toMatch(/database/);
    expect([...places.keys()].join('\n')).toMatch(/history of baremetalhost\/secrets\/host-0\/provision\/\d/);
    const logs = [
      'places/secrets/logs/workers',
      'places/secrets/logs/bridge',
      'logs/temporal',
      'logs/bridge',
      'ironic/ironic',
    ];
    for (const log of logs) expect(places.get(`log ${log}.log`)?.length, log).toBeGreaterThan(0);
    expect([...places.keys()].join('\n')).toMatch(/requests\.jsonl/);
  });
  test('finds a canary planted on purpose, in the database and in a history, raw and packed', () => {
    for (const needle of [PLANTED, `${PLANTED}-packed`]) {
      expect(found(needle)).toEqual(expect.arrayContaining(['history of planted', expect.stringMatching(/^database/)]));
    }
  });
  test.each([
    ['raw', (text: string) => text],
    ['base64', (text: string) => Buffer.from(`xx${text}`).toString('base64')],
    ['gzip', (text: string) => gzipSync(text)],
    ['zlib', (text: string) => deflateSync(text)],
    ['gzip in base64', (text: string) => gzipSync(text).toString('base64')],
    ['zlib in base64', (text: string) => deflateSync(text).toString('base64')],
  ])('finds what is hidden by %s', (_, hide) => {
    const hay = Buffer.concat([Buffer.from('before "'), Buffer.from(hide(`k=${PLANTED};`)), Buffer.from('" after')]);
    expect(holds(hay, PLANTED)).toBe(true);
    expect(holds(hay, BMC_PASSWORD)).toBe(false);
  });
});

describe('a canary', () => {
  test('reached the machine, so that its absence elsewhere means something', async () => {
    expect(JSON.stringify((await machineOf(lab, 0)).disk)).toContain(USER_DATA);
  });
  test.each([
    ['password', BMC_PASSWORD],
    ['wrong password', WRONG_PASSWORD],
    ['user data', USER_DATA],
  ])('%s is nowhere it does not belong', (_, needle) => {
    expect(found(needle)).toEqual([]);
  });
});
