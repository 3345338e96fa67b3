import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProgressEvent } from '../../lab/progress.ts';
import { hostWorkflowId, view } from '../../workflows/messages.ts';
import { aFixtureLab, fixtureHost, fixtureSecret, IMAGE, type TestFixtureLab } from './support/fixture.ts';
import { withTemporal } from './support/histories.ts';
import { apply, editHost, getHost, hostIn, hostThat, kubectl, NAMESPACE } from './support/hosts.ts';

/** A lab is started on the folder of an older one, whose Temporal had another database schema. */
const NAME = 'kept';
let dir: string;
let lab: TestFixtureLab;
const events: ProgressEvent[] = [];

const start = (): Promise<TestFixtureLab> =>
  aFixtureLab({ dir, ephemeral: false, onProgress: (event) => void events.push(event) });

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'temper-e2e-old-'));
  lab = await start();
  await apply(lab, fixtureSecret(NAME), fixtureHost(NAME, { image: IMAGE }));
  await hostIn(lab, NAME, 'provisioned');
});
afterAll(async () => {
  await lab?.stop();
  await rm(dir, { recursive: true, force: true });
});

/** As a lab with server 1.29 left it: without a note of the version. */
const makeOld = (): void => rmSync(join(dir, 'temporal-server'));

const machine = async (): Promise<string> =>
  kubectl(lab, ['get', 'configmap', '-l', 'temper/fixture=machine', '-o', 'jsonpath={.items[*].data}']);

/** What the host's workflow says, and the id of the first of its runs. */
const run = (): Promise<{ readonly state: string | undefined; readonly first: string | null | undefined }> =>
  withTemporal(lab, async (client) => {
    const handle = client.workflow.getHandle(hostWorkflowId({ namespace: NAMESPACE, name: NAME }));
    const [shown, { raw }] = await Promise.all([handle.query(view), handle.describe()]);
    return { state: shown?.state, first: raw.workflowExecutionInfo?.firstRunId };
  });

describe('a lab on the folder of an older one', () => {
  test('says that it begins a new database, and its hosts go on from their objects', async () => {
    const before = await machine();
    const { first } = await run();
    await lab.stop();
    makeOld();
    events.length = 0;

    lab = await start();

    const [said] = events.filter(({ step, kind }) => step === 'Start temporal' && kind === 'done');
    expect(said?.detail).toMatch(/with a new database.*kept as .*old-temporal\.db/);
    await expect.poll(() => run().catch(() => undefined)).toMatchObject({ state: 'provisioned' });
    expect((await run()).first).not.toBe(first);
    expect(await machine()).toBe(before);
    await editHost(lab, NAME, { online: false });
    await hostThat(lab, NAME, 'powered off', ({ status }) => !status.poweredOn);
    expect(await getHost(lab, NAME)).toMatchObject({ status: { provisioning: { state: 'provisioned' } } });
  });
});
