import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordCommands } from '../../scripts/documented/ran.ts';
import { buildIdOf, cachedBundle } from '../../workers/bundle.ts';
import { hostWorkflowId } from '../../workflows/messages.ts';
import { fixtureHost, fixtureSecret, IMAGE, type TestFixtureLab } from './support/fixture.ts';
import { withTemporal } from './support/histories.ts';
import { apply, editHost, hostIn, hostThat, NAMESPACE } from './support/hosts.ts';
import { joinFixtureLab } from './support/place/join.ts';
import { type MachineRecord, recordMachines } from './support/versions/machine-record.ts';
import { NEWER, PATCH } from './support/versions/newer.ts';
import { createShell, stepsOf } from './support/versions/procedure.ts';
import { makeRelease, startWorkers, type Workers } from './support/versions/release.ts';

/**
 * The workers are upgraded while hosts are deployed, and taken back while others are, by the commands in
 * docs/operations/upgrade.md. The newer release has workflow code that cannot continue what the older one began, except
 * where it has a patch; and the other way round.
 */
const PAGE = 'docs/operations/upgrade.md';
const record = recordCommands('test/e2e/worker-versions.test.ts');
const HOSTS = Number(process.env['TEMPER_UPGRADED_HOSTS'] ?? 2);
/** So slow that all are being deployed at the same time: 40 seconds each, or more. */
const SETTINGS = { TEMPORAL_DEPLOYMENT_NAME: 'temper', FIXTURE_TIME_SCALE: String(Math.max(4, HOSTS / 4)) };
let folder: string;
let lab: TestFixtureLab;
let machines: MachineRecord;
let newer: Workers | undefined;
let run: Awaited<ReturnType<typeof createShell>>;
const builds = { OLD: '', NEW: '' };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temper-versions-'));
  lab = await joinFixtureLab({ temperEnv: SETTINGS });
  machines = recordMachines(lab.kube);
  run = record.shell(await createShell(folder, lab.endpoints));
});
afterAll(async () => {
  machines?.close();
  await newer?.stop();
  await lab?.stop();
  await rm(folder, { recursive: true, force: true });
});

const named = (wave: string): readonly string[] => Array.from({ length: HOSTS }, (_, index) => `${wave}-${index}`);

/** Hosts, each of which is being deployed. */
async function deploying(wave: string): Promise<readonly string[]> {
  const names = named(wave);
  await apply(lab, ...names.flatMap((name) => [fixtureSecret(name), fixtureHost(name, { image: IMAGE })]));
  await expect.poll(() => names.filter((name) => !machines.of(name).includes('wait call-back'))).toEqual([]);
  return names;
}

const provisioned = (names: readonly string[]): Promise<unknown> =>
  Promise.all(names.map((name) => hostIn(lab, name, 'provisioned')));

async function switchOff(names: readonly string[]): Promise<void> {
  for (const name of names) await editHost(lab, name, { online: false });
  await Promise.all(names.map((name) => hostThat(lab, name, 'off', ({ status }) => !status.poweredOn)));
}

/** How often the machine of each host was deployed, by the fixture's own record, and whether it was undeployed. */
const deploymentsOf = (names: readonly string[]): readonly object[] =>
  names.map((name) => {
    const states = machines.of(name);
    const begun = states.filter((state) => state === 'wait call-back').length;
    return { name, deployments: begun, undeployed: states.includes('deleting') };
  });
const deployedOnce = (names: readonly string[]): readonly object[] =>
  names.map((name) => ({ name, deployments: 1, undeployed: false }));

const pinnedTo = (buildId: string): string =>
  `TemporalWorkerDeploymentVersion = 'temper:${buildId}' AND TemporalWorkflowVersioningBehavior = 'Pinned'`;
const count = (query: string): Promise<number> =>
  withTemporal(lab, async (client) => (await client.workflow.count(query)).count);

const inTheMiddle = (buildId: string): Promise<void> =>
  expect.poll(() => count(`${pinnedTo(buildId)} AND ExecutionStatus = 'Running'`)).toBeGreaterThan(0);

/** The version with which the last task of a host's run was done. */
const versionOf = (name: string): Promise<string | undefined> =>
  withTemporal(lab, async (client) => {
    const run = await client.workflow.getHandle(hostWorkflowId({ namespace: NAMESPACE, name })).describe();
    return run.raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId ?? undefined;
  });
const versionsOf = async (names: readonly string[]): Promise<ReadonlySet<string | undefined>> =>
  new Set(await Promise.all(names.map(versionOf)));

describe(`an upgrade of the workers while ${HOSTS} hosts are deployed`, () => {
  let first: readonly string[];
  let second: readonly string[];

  test('begins with a version that takes the tasks by itself', async () => {
    builds.OLD = buildIdOf(await cachedBundle());
    const current = (): Promise<unknown> =>
      run('temporal worker deployment describe --name temper --output json', {}).then(JSON.parse, String);
    await expect.poll(current).toMatchObject({ routingConfig: { currentVersionBuildID: builds.OLD } });
  });

  test('brings workers that get no task and say so, until the version is made current', async () => {
    const release = await makeRelease(join(folder, 'newer'), NEWER);
    newer = await startWorkers(release, lab.endpoints, SETTINGS);
    const { log } = newer;
    await expect.poll(log).toContain('these workers get no tasks');
    builds.NEW = /"buildId":"([0-9a-f]{16})"/.exec(log())?.[1] ?? '';
    expect(builds.NEW).not.toBe(builds.OLD);
    const { status, text } = await newer.readiness();
    expect(status).toBe(503);
    expect(text).toContain(`version temper:${builds.NEW} gets no tasks; the current version is temper:${builds.OLD}`);
  });

  test('lets each operation end with the code with which it began', async () => {
    first = await deploying('first');
    await inTheMiddle(builds.OLD);
    const steps = await stepsOf(PAGE, 'An upgrade with versions');
    for (const commands of steps) await run(commands, builds);

    await expect.poll(async () => (await newer?.readiness())?.status).toBe(200);
    await provisioned(first);
    expect(deploymentsOf(first)).toEqual(deployedOnce(first));
    expect(await count(`${pinnedTo(builds.NEW)} AND WorkflowType = 'provisionWorkflow'`)).toBe(0);
    expect(await count(`TemporalReportedProblems IS NOT NULL`)).toBe(0);
    // A host whose deployment had ended before the new version took over gets its first task of it here.
    await switchOff(first);
    await expect.poll(() => versionsOf(first)).toEqual(new Set([builds.NEW]));
  });

  test('can be taken back while others are deployed', async () => {
    second = await deploying('second');
    await inTheMiddle(builds.NEW);
    const steps = await stepsOf(PAGE, 'The way back');
    for (const commands of steps) await run(commands, builds);
    await newer?.stop();
    newer = undefined;

    await provisioned(second);
    const all = [...first, ...second];
    await expect.poll(() => versionsOf(all)).toEqual(new Set([builds.OLD]));
    await provisioned(all);
    expect(deploymentsOf(all)).toEqual(deployedOnce(all));
    // Every run that the newer release took further.
    expect(await count(`TemporalChangeVersion = '${PATCH}' AND ExecutionStatus = 'Terminated'`)).toBe(all.length);
  });
});
