import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resultsOf } from '../../domain/host/results/results.ts';
import { messageOf } from '../../domain/message-of.ts';
import { recordCommands } from '../../scripts/documented/ran.ts';
import { TASK_QUEUE } from '../../workflows/messages.ts';
import { TEMPER_WAITS_FOR } from '../../workflows/search-attributes.ts';
import { atNight } from '../at-night.ts';
import { approvals, codeIn, ERASE, heldIn, idOf, isHost } from './support/approvals.ts';
import { IMAGE, type TestFixtureLab } from './support/fixture.ts';
import { keepRuns, withTemporal } from './support/histories.ts';
import { editHost, getHost, hostGone, hostIn, hostThat, kubectl, NAMESPACE } from './support/hosts.ts';
import { aCluster, aFreeHost, aMachine, expectGone, on, remove } from './support/machines.ts';
import { shareFixtureLab } from './support/place/join.ts';
import { createShell, stepsOf } from './support/versions/procedure.ts';

/** Hosts that stop before they erase or power off: asked for and answered with the commands of the page. */
const PAGE = 'docs/approvals.md';
const record = recordCommands('test/e2e/approvals.test.ts');
const OTHER_IMAGE = { ...IMAGE, url: 'http://192.168.222.1/other.img' };
let lab: TestFixtureLab;
let folder: string;
let run: (commands: string, host: string, machine?: string) => Promise<string>;
const { annotate, approve, available, detailsOf, eventsOf, held, reject, stateOf, told } = approvals(() => lab);
beforeAll(async () => {
  lab = await shareFixtureLab();
  folder = await mkdtemp(join(tmpdir(), 'temper-approvals-'));
  const shell = record.shell(await createShell(folder, lab.endpoints));
  run = (commands, host, machine = '') => shell(commands, { namespace: NAMESPACE, host, machine });
});
afterAll(async () => {
  await lab?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true });
});

describe(`the commands of ${PAGE}`, () => {
  const name = 'approved';
  const lines = (step: string | undefined): readonly string[] => (step ?? '').trim().split('\n');

  test('have a host stop before it erases, reject and approve it, each way', async () => {
    await available(name, {});
    const [ask, when, few, end] = await stepsOf(PAGE, 'Ask for approvals');
    const [see = '', temper, byKubectl, byTemporal] = await stepsOf(PAGE, 'Answer');
    await run(`${ask}${when}${few}`, name);
    await hostThat(lab, name, 'told by its Namespace', ({ metadata }) =>
      (metadata.annotations['temper/approval-inherited'] ?? '').includes(`Namespace ${NAMESPACE}`),
    );

    await editHost(lab, name, { image: IMAGE });
    const first = await held(name, 'ApprovalNeeded');
    expect(first.message).toBe(
      `waiting for approval ${first.code} to clean its disks and write image ${IMAGE.url} over them, by somebody who may update baremetalhosts/approval; asked for by the host, Namespace ${NAMESPACE}`,
    );
    expect(await stateOf(name)).toBe('available');
    await expect.poll(async () => (await eventsOf(name)).join('\n')).toContain(first.message);
    const details = await detailsOf(name);
    expect(details).toContain(first.message);
    expect(details).toContain(`--name approve --input '{"code":"${first.code}"`);
    const listed = await withTemporal(lab, (client) => client.workflow.getHandle(idOf(name)).describe());
    expect(listed.typedSearchAttributes.get(TEMPER_WAITS_FOR)).toBe('person');

    const [reject = '', approve = ''] = lines(temper);
    expect(await run(`${see}${reject}`, name)).toContain(first.message);
    expect((await held(name, 'Rejected')).message).toContain('rejected by ada: not before the backup');
    expect(await stateOf(name)).toBe('available');
    await run(`${see}${approve}`, name);
    await hostIn(lab, name, 'provisioned');
    expect(await told(name)).toEqual([
      `reject by ada: ${first.code}: not before the backup`,
      `approve by ada: ${first.code}: the backup is done`,
    ]);
    await hostThat(
      lab,
      name,
      'without the used approval',
      ({ metadata }) => !('temper/approval-given' in metadata.annotations),
    );

    await editHost(lab, name, { image: null });
    const second = await held(name, 'ApprovalNeeded');
    expect(second.code).toMatch(/^deprovision-/);
    const [user = '', no = '', yes = ''] = lines(byKubectl);
    await run(`${see}${user}\n${no}`, name);
    await held(name, 'Rejected');
    await run(`${see}${user}\n${yes}`, name);
    await hostIn(lab, name, 'available');
    await expect
      .poll(async () => (await told(name)).at(-1))
      .toMatch(new RegExp(`^approve by \\S*admin: ${second.code}: the backup is done$`));

    await editHost(lab, name, { image: IMAGE });
    await held(name, 'ApprovalNeeded');
    const [update = '', signal = ''] = lines(byTemporal);
    await run(`${see}${signal}`, name);
    await held(name, 'Rejected');
    await run(`${see}${update}`, name);
    await hostIn(lab, name, 'provisioned');

    await run(end ?? '', name);
    await hostThat(lab, name, 'free', ({ metadata }) => !('temper/approval-inherited' in metadata.annotations));
    await keepRuns(lab, 'approved', idOf(name), isHost);
  });
});

describe.concurrent('a host', () => {
  test('that wants something else asks anew, whatever was approved', async ({ expect }) => {
    const name = 'changed';
    await available(name);
    await editHost(lab, name, { image: IMAGE });
    const first = await held(name, 'ApprovalNeeded');
    await editHost(lab, name, { image: OTHER_IMAGE });
    const second = await held(name, 'ApprovalNeeded', first.code);
    expect(second.message).toContain(OTHER_IMAGE.url);
    await expect(approve(name, first.code)).rejects.toMatchObject({
      cause: {
        message: `approve ${name}: it waits for ${second.code} now, to clean its disks and write image ${OTHER_IMAGE.url} over them, and not for ${first.code}`,
      },
    });
    const user = await kubectl(lab, ['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}']);
    await annotate(name, `temper/approval-given=${first.code} ${user} late`);
    await expect.poll(() => told(name)).toEqual([`approve by ${user}: ${first.code}: late`]);
    expect(heldIn(await hostIn(lab, name, 'available'))?.message).toContain(second.code);
    await approve(name, second.code);
    await hostIn(lab, name, 'provisioned');
  });

  test('stops for what its Metal3Machine asks for, and for what its Cluster asks for, and is answered through the machine', async ({
    expect,
  }) => {
    const name = 'of-machine';
    await aCluster(lab, 'asking');
    await kubectl(lab, ['annotate', 'clusters.cluster.x-k8s.io', 'asking', 'temper/approval=power-off']);
    await aFreeHost(lab, name);
    await aMachine(lab, 'asking', name, { metadata: { annotations: ERASE }, spec: on(name) });
    const first = await held(name, 'ApprovalNeeded');
    expect(first.message).toContain(`asked for by Metal3Machine ${NAMESPACE}/${name}`);
    const answers = await stepsOf(PAGE, 'Answer');
    const [reject = '', approveIt = ''] = (answers[4] ?? '').trim().split('\n');
    expect(await run(`${answers[0]}${reject}`, name, name)).toContain(`reject ${NAMESPACE}/${name} by ada for machine`);
    await held(name, 'Rejected');
    await run(`${answers[0]}${approveIt}`, name, name);
    await hostIn(lab, name, 'provisioned');
    expect(await told(name)).toEqual([
      `reject by ada for machine ${name}: ${first.code}: not before the backup`,
      `approve by ada for machine ${name}: ${first.code}: the backup is done`,
    ]);

    await remove(lab, 'metal3Machine', name);
    const second = await held(name, 'ApprovalNeeded', first.code);
    expect(second.message).toContain(`Metal3Machine ${NAMESPACE}/${name}, Cluster ${NAMESPACE}/asking`);
    expect(await stateOf(name)).toBe('provisioned');
    await approve(name, second.code);
    await expectGone(lab, 'metal3Machine', name);
  });

  test('that is to build volumes stops before that, and has none until it is approved', async ({ expect }) => {
    const name = 'mirrored';
    const raid = { softwareRAIDVolumes: [{ level: '1', rootVolume: true }] };
    await available(name);
    await editHost(lab, name, { raid });
    const { code, message } = await held(name, 'ApprovalNeeded');
    expect(message).toBe(
      `waiting for approval ${code} to build its RAID volumes, which erases their disks, by somebody who may update baremetalhosts/approval; asked for by the host`,
    );
    const { metadata, status } = await hostIn(lab, name, 'preparing');
    expect(resultsOf(metadata.annotations).map(({ what }) => what)).not.toContain('prepare');
    expect(status.provisioning).not.toHaveProperty('raid');
    await approve(name, code);
    const prepared = await hostIn(lab, name, 'available');
    expect(prepared.status.provisioning).toMatchObject({ raid });
  });

  test('whose run is lost keeps its approval', async () => {
    const name = 'lost';
    await available(name, { ...ERASE, 'temper/approval-window': '0 0 30 2 * 1h' });
    await editHost(lab, name, { image: IMAGE });
    const { code } = await held(name, 'ApprovalNeeded');
    await approve(name, code);
    expect((await held(name, 'WindowNeverOpen')).message).toContain('0 0 30 2 * 1h of the host, which is never open');
    await withTemporal(lab, (client) => client.workflow.getHandle(idOf(name)).terminate('lost'));
    await annotate(name, 'temper/approval-window-');
    await hostIn(lab, name, 'provisioned');
    expect(await told(name)).toEqual([`approve by ada: ${code}: the backup is done`]);
  });

  test('whose step is rejected while it waits for its window does not begin when that opens', async ({ expect }) => {
    const name = 'rejected';
    await available(name, { 'temper/approval-window': '0 0 30 2 * 1h' });
    await editHost(lab, name, { image: IMAGE });
    await held(name, 'WindowNeverOpen');
    const code = codeIn(await detailsOf(name));
    await expect(approve(name, code)).rejects.toMatchObject({
      cause: {
        message: expect.stringContaining('it waits for its window, which an approval does not open') as unknown,
      },
    });
    await reject(name, code);
    await held(name, 'Rejected');
    await annotate(name, 'temper/approval-window=0 0 * * * 168h');
    const details = expect.stringContaining(`rejected by ada: not before the backup`) as unknown;
    await hostThat(lab, name, 'seen with its open window', ({ metadata }) =>
      (metadata.annotations['temper/approval-window'] ?? '').endsWith('168h'),
    );
    expect(await detailsOf(name)).toEqual(details);
    expect(await stateOf(name)).toBe('available');
    await approve(name, code);
    await hostIn(lab, name, 'provisioned');
    await keepRuns(lab, 'rejected-in-window', idOf(name), isHost);
  });

  test('with a budget of each failure domain waits for a host of its own, and for none of another', async ({
    expect,
    skip,
  }) => {
    atNight(skip, 'test/integration/budgets.test.ts');
    const zone = 'infrastructure.cluster.x-k8s.io/failure-domain';
    const [first, second, other] = ['east-1', 'east-2', 'west-1'] as const;
    for (const name of [first, second, other]) {
      await available(name, { 'temper/approval-budget': `erase: 1 per ${zone}` });
      await kubectl(lab, ['label', 'bmh', name, `${zone}=${name.slice(0, 4)}`]);
    }
    await annotate(first, 'temper/fixture-fail=provision');
    await editHost(lab, first, { image: IMAGE });
    await hostThat(lab, first, 'in error', ({ status }) => status.errorType === 'provisioning error');
    await editHost(lab, second, { image: IMAGE });
    const { message } = await held(second, 'BudgetExhausted');
    expect(message).toContain(`${zone}=east: at most 1 at a time, now ${NAMESPACE}/${first}; it is next`);
    await editHost(lab, other, { image: IMAGE });
    await hostIn(lab, other, 'provisioned');
    const waiting = await hostIn(lab, second, 'available');
    expect(heldIn(waiting)?.message).toBe(message);

    await annotate(first, 'temper/fixture-fail-', 'temper/retry=mended');
    await hostIn(lab, first, 'provisioned');
    await hostIn(lab, second, 'provisioned');
  });

  test('whose image is replaced keeps its place in a budget until it has the next one', async ({ skip }) => {
    atNight(skip, 'test/integration/budgets.test.ts');
    const name = 'replaced';
    await available(name, { 'temper/approval-budget': 'erase: 1' });
    await editHost(lab, name, { image: IMAGE });
    await hostIn(lab, name, 'provisioned');
    await editHost(lab, name, { image: OTHER_IMAGE });
    await hostThat(
      lab,
      name,
      'with the other image',
      ({ status }) => status.provisioning.state === 'provisioned' && status.provisioning.image?.url === OTHER_IMAGE.url,
    );
    await keepRuns(lab, 'replaced-with-budget', idOf(name), isHost);
  });

  test('without an approval is not erased by a forged message either, and is asked for each step of its deletion', async ({
    skip,
  }) => {
    atNight(skip, 'test/e2e/forged-messages.test.ts');
    const name = 'forged';
    await available(name, {});
    await editHost(lab, name, { image: IMAGE });
    await hostIn(lab, name, 'provisioned');
    await annotate(name, 'temper/approval=all');
    await editHost(lab, name, { image: null });
    const { code } = await held(name, 'ApprovalNeeded');
    const found = await getHost(lab, name);
    const host = { namespace: NAMESPACE, name, uid: found?.metadata.uid };
    const order = { ...found?.spec, host, nodeId: found?.status.provisioning.ID, retry: false };
    const forged = withTemporal(lab, (client) =>
      client.workflow.execute('deprovisionWorkflow', {
        taskQueue: TASK_QUEUE,
        workflowId: `${idOf(name)}/forged`,
        args: [order],
      }),
    );
    const why = await forged.then(() => 'it was performed', causesOf);
    expect(why).toContain(
      `nobody has approved ${code}, to power it off, remove image ${IMAGE.url}, and clean its disks`,
    );
    expect(await stateOf(name)).toBe('provisioned');
    // A host that is being deleted is erased by the same step.
    await kubectl(lab, ['delete', 'bmh', name, '--wait=false']);
    await approve(name, code);
    const powerOff = await held(name, 'ApprovalNeeded', code);
    expect(powerOff.message).toContain('to power it off');
    await approve(name, powerOff.code);
    await hostGone(lab, name);
  });
});

function causesOf(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  return cause === undefined ? messageOf(error) : `${messageOf(error)}: ${causesOf(cause)}`;
}
