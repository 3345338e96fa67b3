import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProgressEvent } from '../../lab/progress.ts';
import { hostWorkflowId, view } from '../../workflows/messages.ts';
import { aFixtureLab, IMAGE, type TestFixtureLab } from './support/fixture.ts';
import { withTemporal } from './support/histories.ts';
import { editHost, hostIn, hostThat, kubectl, NAMESPACE } from './support/hosts.ts';

/**
 * A lab is started on the folder of one that an earlier release left: objects in etcd, runs in a database of Temporal's
 * server 1.29, one of them in the middle of a deployment. `old-lab/make.sh` made it.
 */
const OLD_LAB = join(import.meta.dirname, 'old-lab', 'lab.tar.br');
/** Each host, and the state for which its object asks. */
const HOSTS = { kept: 'provisioned', free: 'available', coming: 'provisioned' } as const;
const NAMES = Object.keys(HOSTS) as readonly (keyof typeof HOSTS)[];

let dir: string;
let lab: TestFixtureLab;
const events: ProgressEvent[] = [];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'temper-e2e-old-'));
  const input = await promisify(brotliDecompress)(await readFile(OLD_LAB));
  await execa('tar', ['--extract', '--directory', dir], { input });
  await copyFile(join(dir, 'temporal.db'), join(dir, 'as-it-was.db'));
});
afterAll(async () => {
  await lab?.stop();
  await rm(dir, { recursive: true, force: true });
});

/** The open runs in the database, `<workflow id> <run id>`. */
function openRuns(): readonly { readonly workflow: string; readonly run: string }[] {
  const database = new DatabaseSync(join(dir, 'as-it-was.db'), { enableDoubleQuotedStringLiterals: true });
  const rows = database
    .prepare('SELECT workflow_id, run_id FROM executions_visibility WHERE status = 1 ORDER BY workflow_id')
    .all();
  database.close();
  return rows.map((row) => ({ workflow: String(row['workflow_id']), run: String(row['run_id']) }));
}

/** What the host's workflow says, and the id of the first of its runs. */
const run = (name: string): Promise<{ readonly state: string | undefined; readonly first: string }> =>
  withTemporal(lab, async (client) => {
    const handle = client.workflow.getHandle(hostWorkflowId({ namespace: NAMESPACE, name }));
    const [shown, { raw }] = await Promise.all([handle.query(view), handle.describe()]);
    return { state: shown?.shown.state, first: raw.workflowExecutionInfo?.firstRunId ?? '' };
  });

/** When the host was last provisioned, as its object says. */
async function provisionedAt(name: string): Promise<number> {
  const { status } = await hostIn(lab, name, 'provisioned');
  return Date.parse((status['operationHistory'] as { readonly provision: { readonly end: string } }).provision.end);
}

describe('a lab on the folder of an older one', () => {
  test('says that it begins a new database, and its hosts go on from their objects', async () => {
    const old = openRuns();
    expect(old.map(({ workflow }) => workflow)).toEqual(
      expect.arrayContaining([
        ...NAMES.map((name) => hostWorkflowId({ namespace: 'default', name })),
        'baremetalhost/default/coming/provision/2',
      ]),
    );
    const started = Date.now();

    lab = await aFixtureLab({ dir, ephemeral: false, onProgress: (event) => void events.push(event) });

    const [said] = events.filter(({ step, kind }) => step === 'Start temporal' && kind === 'done');
    expect(said?.detail).toMatch(/with a new database.*kept as .*old-temporal\.db/);
    expect(await readFile(join(dir, 'old-temporal.db'))).toEqual(await readFile(join(dir, 'as-it-was.db')));
    for (const name of NAMES) {
      await hostIn(lab, name, HOSTS[name]);
      await expect.poll(() => run(name).catch(() => undefined)).toMatchObject({ state: HOSTS[name] });
      expect(old.map((each) => each.run)).not.toContain((await run(name)).first);
    }
    expect(await provisionedAt('kept')).toBeLessThan(started);
    expect(await provisionedAt('coming')).toBeGreaterThan(started - 1_000);
    const machines = await kubectl(lab, ['get', 'configmap', '-l', 'temper/fixture=machine', '-o', 'name']);
    expect(machines.split('\n')).toHaveLength(NAMES.length);
    await editHost(lab, 'kept', { online: false });
    await hostThat(lab, 'kept', 'powered off', ({ status }) => !status.poweredOn);
    await editHost(lab, 'free', { image: IMAGE });
    await hostIn(lab, 'free', 'provisioned');
  });
});
