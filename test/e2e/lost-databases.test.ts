import { copyFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hostWorkflowId, view } from '../../workflows/messages.ts';
import { withTemporal } from './support/histories.ts';
import { createHost, editHost, getHost, type Host, hostIn, hostThat, NAMESPACE } from './support/hosts.ts';
import { aLab, type TestLab } from './support/lab.ts';
import { forgetRecorded, recorded } from './support/recorded.ts';

/** Hosts with an image, and one of the two databases behind them is lost. */
const HOSTS = Number(process.env['TEMPER_LOST_HOSTS'] ?? 8);
let lab: TestLab;
let names: readonly string[];

beforeAll(async () => {
  lab = await aLab({ machines: HOSTS });
  await keepEmptyDatabase();
  names = await Promise.all(
    Array.from({ length: HOSTS }, (_, index) => createHost(lab, index, { image: lab.endpoints.testImage })),
  );
  await Promise.all(names.map((name) => hostIn(lab, name, 'provisioned')));
});
afterAll(() => lab?.stop());

const ironicDatabase = (): string => join(lab.dir, 'ironic', 'ironic.sqlite');
const emptyDatabase = (): string => join(lab.dir, 'empty.sqlite');

/** Ironic's database with its tables but without nodes. */
async function keepEmptyDatabase(): Promise<void> {
  await lab.kill('ironic', 'SIGKILL');
  await copyFile(ironicDatabase(), emptyDatabase());
  await lab.start('ironic');
}

/** The database and SQLite's files beside it. */
async function removeDatabase(dir: string, name: string): Promise<void> {
  const files = (await readdir(dir)).filter((file) => file.startsWith(name));
  expect(files).toContain(name);
  await Promise.all(files.map((file) => rm(join(dir, file))));
}

const statesNow = async (): Promise<readonly (string | undefined)[]> =>
  (await Promise.all(names.map((name) => getHost(lab, name)))).map((host) => host?.status.provisioning.state);

/** The number of requests to Ironic that interrupt a running machine, counted by the proxy. */
async function disruptions(): Promise<Record<string, number>> {
  const { provisions } = await recorded(lab);
  return Object.fromEntries(
    ['active', 'deleted', 'provide', 'clean', 'inspect', 'rebuild'].flatMap((target) => {
      const count = Object.values(provisions[target] ?? {}).reduce((sum, each) => sum + each, 0);
      return count === 0 ? [] : [[target, count]];
    }),
  );
}

/** Every host still follows its spec. */
async function allAnswerTo(change: { readonly online: boolean }): Promise<void> {
  await Promise.all(names.map((name) => editHost(lab, name, change)));
  await Promise.all(
    names.map((name) =>
      hostThat(lab, name, `power ${change.online}`, ({ status }) => status.poweredOn === change.online),
    ),
  );
}

describe(`${HOSTS} provisioned hosts`, () => {
  test('go on from their BareMetalHosts when Temporal lost its database', async () => {
    await forgetRecorded(lab);
    await lab.kill('temporal', 'SIGKILL');
    await removeDatabase(lab.dir, 'temporal.db');
    await lab.start('temporal');
    await withTemporal(lab, (client) =>
      Promise.all(
        names.map(async (name) => {
          const handle = client.workflow.getHandle(hostWorkflowId({ namespace: NAMESPACE, name }));
          await expect
            .poll(async () => (await handle.query(view).catch(() => undefined))?.state, {
              timeout: 600_000,
            })
            .toBe('provisioned');
        }),
      ),
    );
    await allAnswerTo({ online: false });
    expect(new Set(await statesNow())).toEqual(new Set(['provisioned']));
    expect(await disruptions()).toEqual({});
  });

  test('are registered again and adopted when Ironic lost its database', async () => {
    await allAnswerTo({ online: true });
    const before = await idsOf();
    await forgetRecorded(lab);
    await lab.kill('ironic', 'SIGKILL');
    await removeDatabase(join(lab.dir, 'ironic'), 'ironic.sqlite');
    await copyFile(emptyDatabase(), ironicDatabase());
    await lab.start('ironic');
    const healed = await Promise.all(
      names.map((name) =>
        hostThat(lab, name, 'registered anew', (host) => host.status.provisioning.ID !== before.get(name)),
      ),
    );
    expect(healed.map(({ status }) => status.provisioning.state)).toEqual(names.map(() => 'provisioned'));
    await expect
      .poll(async () => new Set((await nodes()).map((node) => node['provision_state'])), { timeout: 600_000 })
      .toEqual(new Set(['active']));
    expect(new Set(await portOwners()).size).toBe(HOSTS);
    await allAnswerTo({ online: false });
    expect(new Set(await statesNow())).toEqual(new Set(['provisioned']));
    expect(await disruptions()).toEqual({});
  });
});

const idOf = (host: Host | undefined): string => host?.status.provisioning.ID ?? '';

async function idsOf(): Promise<ReadonlyMap<string, string>> {
  return new Map(await Promise.all(names.map(async (name) => [name, idOf(await getHost(lab, name))] as const)));
}

async function listed(path: string): Promise<readonly Record<string, unknown>[]> {
  const answer = await fetch(new URL(path, lab.endpoints.ironicDirect), {
    headers: { 'X-OpenStack-Ironic-API-Version': '1.89' },
  });
  const [items] = Object.values((await answer.json()) as Record<string, Record<string, unknown>[]>);
  return items ?? [];
}

const nodes = (): Promise<readonly Record<string, unknown>[]> => listed('nodes?fields=uuid,provision_state');

const portOwners = async (): Promise<readonly unknown[]> =>
  (await listed('ports?fields=node_uuid,address')).map((port) => port['node_uuid']);
