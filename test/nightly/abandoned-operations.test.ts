import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildIdOf, cachedBundle } from '../../workers/bundle.ts';
import { aFixtureLab, fixtureHost, fixtureSecret, IMAGE, type TestFixtureLab } from '../e2e/support/fixture.ts';
import { apply, hostIn } from '../e2e/support/hosts.ts';
import { type MachineRecord, recordMachines } from '../e2e/support/versions/machine-record.ts';
import { createShell } from '../e2e/support/versions/procedure.ts';
import { makeRelease, startWorkers, type Workers } from '../e2e/support/versions/release.ts';

/** Workers of an old version are removed before its operations have ended. It takes minutes until Temporal knows. */
const NAME = 'left';
const SETTINGS = { TEMPORAL_DEPLOYMENT_NAME: 'temper', FIXTURE_TIME_SCALE: '3' };
const PATIENCE = { timeout: 600_000, interval: 500 };

let folder: string;
let lab: TestFixtureLab;
let machines: MachineRecord;
let newer: Workers;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temper-abandoned-'));
  lab = await aFixtureLab({ temperEnv: SETTINGS });
  machines = recordMachines(lab.kube);
});
afterAll(async () => {
  machines?.close();
  await newer?.stop();
  await lab?.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('an operation whose workers are gone', () => {
  test('is named in the log of the current workers, and ends when its workers are back', async () => {
    const change = { file: 'workflows/operations/provision.ts', from: "'Wait for cleaning'", to: "'Wait'" };
    newer = await startWorkers(await makeRelease(join(folder, 'newer'), [change]), lab.endpoints, SETTINGS);
    await expect.poll(newer.log, PATIENCE).toContain('these workers get no tasks');
    await apply(lab, fixtureSecret(NAME), fixtureHost(NAME, { image: IMAGE }));
    await expect.poll(() => machines.of(NAME), PATIENCE).toContain('wait call-back');
    const run = await createShell(folder, lab.endpoints);
    const [, NEW = ''] = /"buildId":"([0-9a-f]{16})"/.exec(newer.log()) ?? [];
    await lab.kill('workers', 'SIGKILL');
    const promote = 'temporal worker deployment set-current-version --deployment-name temper --build-id "$NEW" --yes';
    await run(`until ${promote}; do sleep 1; done`, { NEW });

    const OLD = buildIdOf(await cachedBundle());
    await expect
      .poll(newer.log, PATIENCE)
      .toMatch(
        new RegExp(`"version":"temper:${OLD}","operations":1.*operations wait for workers of a version that nobody`),
      );
    await lab.start('workers');
    await hostIn(lab, NAME, 'provisioned');
    expect(machines.of(NAME).filter((state) => state === 'wait call-back')).toHaveLength(1);
  });
});
