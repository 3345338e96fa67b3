import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { messageOf } from '../../domain/message-of.ts';
import { historyOf } from '../../domain/steering/history.ts';
import { recordCommands } from '../../scripts/documented/ran.ts';
import { BUDGETS_WORKFLOW_ID, budgetsView } from '../../workflows/budgets/messages.ts';
import { hostWorkflowId, STEERING_MESSAGES, TASK_QUEUE } from '../../workflows/messages.ts';
import { TEMPER_WAITS_FOR } from '../../workflows/search-attributes.ts';
import { atNight } from '../at-night.ts';
import { codeIn, heldIn } from './support/approvals.ts';
import { fixtureHost, fixtureSecret, IMAGE, type TestFixtureLab } from './support/fixture.ts';
import { keepRuns, type Run, withTemporal } from './support/histories.ts';
import {
  apply,
  editHost,
  getHost,
  type Host,
  hostGone,
  hostIn,
  hostThat,
  kubectl,
  NAMESPACE,
} from './support/hosts.ts';
import { aCluster, aFreeHost, aMachine, expectGone, on, remove } from './support/machines.ts';
import { joinFixtureLab } from './support/place/join.ts';
import { QUICK_FIXTURE } from './support/place/quick-fixture.ts';
import { blockOf, createShell, stepsOf } from './support/versions/procedure.ts';

/** Hosts that stop before they erase or power off: asked for and answered with the commands of the page. */
const PAGE = 'docs/approvals.md';
const record = recordCommands('test/e2e/approvals.test.ts');
const OTHER_IMAGE = { ...IMAGE, url: 'http://192.168.222.1/other.img' };
const ERASE = { 'temper/approval': 'erase' };
const PATIENCE = { timeout: 600_000, interval: 200 };
const BY = { by: 'ada', reason: 'the backup is done' };
let lab: TestFixtureLab;
let folder: string;
let run: (commands: string, host: string) => Promise<string>;
beforeAll(async () => {
  lab = await joinFixtureLab({ envOf: { workers: QUICK_FIXTURE } });
  folder = await mkdtemp(join(tmpdir(), 'temper-approvals-'));
  const shell = record.shell(await createShell(folder, lab.endpoints));
  run = (commands, host) => shell(commands, { namespace: NAMESPACE, host });
});
afterAll(async () => {
  await lab?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true });
});

async function available(name: string, annotations: object = ERASE): Promise<void> {
  await apply(lab, fixtureSecret(name), fixtureHost(name, {}, annotations));
  await hostIn(lab, name, 'available');
}

/**
 * Waits until the host is held for this reason by a step whose code is another one; returns what the condition says.
 */
async function held(
  name: string,
  reason: string,
  former = '',
): Promise<{ readonly code: string; readonly message: string }> {
  const isHeld = (host: Host): boolean => {
    const found = heldIn(host);
    return found?.reason === reason && (former === '' || codeIn(found.message) !== former);
  };
  const { message = '' } = heldIn(await hostThat(lab, name, `held: ${reason}`, isHeld)) ?? {};
  return { code: codeIn(message), message };
}
const idOf = (name: string): string => hostWorkflowId({ namespace: NAMESPACE, name });
const send = (name: string, message: 'approve' | 'reject', code: string): Promise<string> =>
  withTemporal(lab, (client) =>
    client.workflow
      .getHandle(idOf(name))
      .executeUpdate(STEERING_MESSAGES[message].asUpdate, { args: [{ ...BY, code }] }),
  );
const annotate = (name: string, ...changes: readonly string[]): Promise<string> =>
  kubectl(lab, ['annotate', '--overwrite', 'bmh', name, ...changes]);
const annotationsOf = async (name: string): Promise<Readonly<Record<string, string>>> =>
  (await getHost(lab, name))?.metadata.annotations ?? {};
const stateOf = async (name: string): Promise<string | undefined> =>
  (await getHost(lab, name))?.status.provisioning.state;
const told = async (name: string): Promise<readonly string[]> =>
  historyOf(await annotationsOf(name)).map(({ what, by, reason }) => `${what} by ${by}: ${reason}`);
const eventsOf = async (name: string): Promise<string> =>
  kubectl(lab, [
    'get',
    'events',
    '--field-selector',
    `involvedObject.name=${name}`,
    '-o',
    'jsonpath={.items[*].message}',
  ]);
const detailsOf = (name: string): Promise<string> =>
  withTemporal(lab, async (client) => {
    const metadata = await client.workflow
      .getHandle(idOf(name))
      .query<{ readonly currentDetails?: string }>('__temporal_workflow_metadata');
    return metadata.currentDetails ?? '';
  });
const isHost = ({ type }: Run): boolean => type === 'hostWorkflow';

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
    await expect.poll(() => eventsOf(name)).toContain(first.message);
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
    await expect(send(name, 'approve', first.code)).rejects.toMatchObject({
      cause: {
        message: `approve ${name}: it waits for ${second.code} now, to clean its disks and write image ${OTHER_IMAGE.url} over them, and not for ${first.code}`,
      },
    });
    const user = await kubectl(lab, ['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}']);
    await annotate(name, `temper/approval-given=${first.code} ${user} late`);
    await expect.poll(() => told(name)).toEqual([`approve by ${user}: ${first.code}: late`]);
    expect(heldIn(await hostIn(lab, name, 'available'))?.message).toContain(second.code);
    await send(name, 'approve', second.code);
    await hostIn(lab, name, 'provisioned');
  });

  test('stops for what its Metal3Machine asks for, and for what its Cluster asks for', async ({ expect }) => {
    const name = 'of-machine';
    await aCluster(lab, 'asking');
    await kubectl(lab, ['annotate', 'clusters.cluster.x-k8s.io', 'asking', 'temper/approval=power-off']);
    await aFreeHost(lab, name);
    await aMachine(lab, 'asking', name, { metadata: { annotations: ERASE }, spec: on(name) });
    const first = await held(name, 'ApprovalNeeded');
    expect(first.message).toContain(`asked for by Metal3Machine ${NAMESPACE}/${name}`);
    await send(name, 'approve', first.code);
    await hostIn(lab, name, 'provisioned');

    await remove(lab, 'metal3Machine', name);
    const second = await held(name, 'ApprovalNeeded', first.code);
    expect(second.message).toContain(`Metal3Machine ${NAMESPACE}/${name}, Cluster ${NAMESPACE}/asking`);
    expect(await stateOf(name)).toBe('provisioned');
    await send(name, 'approve', second.code);
    await expectGone(lab, 'metal3Machine', name);
  });

  test('whose run is lost keeps its approval', async () => {
    const name = 'lost';
    await available(name, { ...ERASE, 'temper/approval-window': '0 0 30 2 * 1h' });
    await editHost(lab, name, { image: IMAGE });
    const { code } = await held(name, 'ApprovalNeeded');
    await send(name, 'approve', code);
    expect((await held(name, 'WindowClosed')).message).toContain('0 0 30 2 * 1h of the host, which is never open');
    await withTemporal(lab, (client) => client.workflow.getHandle(idOf(name)).terminate('lost'));
    await annotate(name, 'temper/approval-window-');
    await hostIn(lab, name, 'provisioned');
    expect(await told(name)).toEqual([`approve by ada: ${code}: the backup is done`]);
  });

  test('without an approval is not erased by a forged message either, and is asked for each step of its deletion', async () => {
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
    await send(name, 'approve', code);
    const powerOff = await held(name, 'ApprovalNeeded', code);
    expect(powerOff.message).toContain('to power it off');
    await send(name, 'approve', powerOff.code);
    await hostGone(lab, name);
  });

  test('with a window waits until it opens', async ({ skip }) => {
    atNight(skip, 'domain/host/approval/window.test.ts');
    const name = 'window';
    await available(name, {});
    const from = (opens: Date): string => `${opens.getUTCMinutes()} ${opens.getUTCHours()} * * * 30m`;
    const atMinute = (ms: number): Date => new Date(Math.ceil(ms / 60_000) * 60_000);
    const tonight = atMinute(Date.now() + 12 * 3_600_000);
    await annotate(name, `temper/approval-window=${from(tonight)}`);
    await hostThat(lab, name, 'with the window', ({ metadata }) => 'temper/approval-window' in metadata.annotations);
    await editHost(lab, name, { image: IMAGE });
    const { message } = await held(name, 'WindowClosed');
    expect(message).toBe(
      `waiting for the window ${from(tonight)} of the host, which opens at ${tonight.toISOString()}, to clean its disks and write image ${IMAGE.url} over them`,
    );
    const opens = atMinute(Date.now());
    await annotate(name, `temper/approval-window=${from(opens)}`);
    await hostIn(lab, name, 'provisioned');
    expect(Date.now()).toBeGreaterThanOrEqual(opens.getTime());
    await keepRuns(lab, 'window', idOf(name), isHost);
  });

  test('with a budget waits until one of those before it ends its step, and says which', async ({ expect, skip }) => {
    atNight(skip, 'test/integration/budgets.test.ts');
    const [first, second] = ['first', 'second'] as const;
    for (const name of [first, second]) {
      await available(name, {});
      await kubectl(lab, ['label', 'bmh', name, 'rack=r1']);
      await editHost(lab, name, { image: IMAGE });
      await hostIn(lab, name, 'provisioned');
      await annotate(name, 'temper/approval-budget=power-off: 1 per rack');
    }
    await annotate(first, 'temper/fixture-fail=deprovision');
    await editHost(lab, first, { image: null });
    await hostThat(lab, first, 'stuck', ({ status }) => status.errorType === 'provisioning error');
    await editHost(lab, second, { image: null });
    const { message } = await held(second, 'BudgetExhausted');
    expect(message).toBe(
      `waiting for its turn in the budget power-off in hosts of Namespace ${NAMESPACE} that say so themselves, rack=r1: at most 1 at a time, now ${NAMESPACE}/${first}; it is next, and goes on when one of them ends its step, to power it off, remove image ${IMAGE.url}, and clean its disks`,
    );
    expect(await stateOf(second)).toBe('provisioned');
    expect(await detailsOf(second)).toContain(message);
    const listed = await withTemporal(lab, (client) => client.workflow.getHandle(idOf(second)).describe());
    expect(listed.typedSearchAttributes.get(TEMPER_WAITS_FOR)).toBe('budget');

    // Temporal has lost all budgets. The object of the first host shows that its step has begun.
    await withTemporal(lab, (client) => client.workflow.getHandle(BUDGETS_WORKFLOW_ID).terminate('lost'));
    await annotate(second, 'temper/approval-budget=power-off: 1 per rack; erase: 5');
    await withTemporal(lab, (client) =>
      vi.waitFor(async () => {
        const { holders, queue } = await client.workflow.getHandle(BUDGETS_WORKFLOW_ID).query(budgetsView);
        expect([holders, queue].map((some) => some.map(({ holder }) => holder))).toEqual([
          [idOf(first)],
          [idOf(second)],
        ]);
      }, PATIENCE),
    );
    expect(await stateOf(second)).toBe('provisioned');

    await annotate(first, 'temper/fixture-fail-', 'temper/retry=mended');
    await hostIn(lab, first, 'available');
    await hostIn(lab, second, 'available');
    await keepRuns(lab, 'budget', BUDGETS_WORKFLOW_ID);
    await keepRuns(lab, 'budget', idOf(second), isHost);
  });

  const guarded = 'guarded';
  const as = async (user: string, ...changes: readonly string[]): Promise<string> =>
    kubectl(lab, ['annotate', '--overwrite', 'bmh', guarded, ...changes, ...asUser(user)]).catch((error: unknown) =>
      messageOf(error),
    );
  /** Both of the name Bob are of the group that the page names. */
  const asUser = (user: string): readonly string[] => [
    `--as=${user}`,
    ...(user.startsWith('bob') ? ['--as-group=approvers'] : []),
  ];

  test('is approved by those who have the right, in their own name, and by nobody else', async ({
    expect,
    onTestFinished,
  }) => {
    await kubectl(lab, ['create', 'role', 'editor', '--verb=get,patch', '--resource=baremetalhosts.metal3.io']);
    for (const user of ['bob', 'bob jones', 'eve'])
      await kubectl(lab, ['create', 'rolebinding', user.replace(' ', '-'), '--role=editor', `--user=${user}`]);
    await run(await blockOf(PAGE, 'kubectl create clusterrolebinding approvers'), guarded);
    onTestFinished(() => kubectl(lab, ['delete', 'clusterrolebinding', 'approvers']).then(() => undefined));
    await available(guarded);
    await editHost(lab, guarded, { image: IMAGE });
    const { code } = await held(guarded, 'ApprovalNeeded');
    const refusal =
      'annotations temper/approval are for those who may update baremetalhosts/approval, which eve may not';

    for (const change of [
      `temper/approval-given=${code} eve now`,
      `temper/approval-rejected=${code} eve no`,
      'temper/approval-inherited=[]',
      'temper/approval=firmware',
      'temper/approval-',
    ])
      expect(await as('eve', change)).toContain(refusal);
    expect(await as('eve', 'temper/approval-window=0 3 * * * 1h')).toContain('annotated');
    expect(await as('eve', 'temper/approval-window-')).toContain(refusal);
    expect(await as('bob', 'temper/approval-window-')).toContain('annotated');

    expect(await as('bob', `temper/approval-given=${code} eve now`)).toContain('your user name is bob');
    expect(await as('bob', `temper/approval-given={"code":"${code}","by":"eve","reason":"now"}`)).toContain(
      'your user name is bob',
    );
    for (const value of [
      `${code} bobby now`,
      `${code}\teve bob now`,
      `{"code":"${code}","by":"eve","reason":"x bob now"}`,
    ]) {
      expect(await as('bob', `temper/approval-given=${value}`)).toContain('your user name is bob');
    }
    // It could be read as the name bob.
    expect(await as('bob jones', `temper/approval-given=${code} bob jones now`)).toContain('has spaces');
    expect(await as('bob', `temper/approval-given=${code} bob now`)).toContain('annotated');
    await hostIn(lab, guarded, 'provisioned');
    await expect.poll(() => told(guarded)).toContain(`approve by bob: ${code}: now`);
  });

  test('gets no annotation about approvals that says nothing', async () => {
    const refused = (key: string, value: string): Promise<string> =>
      apply(lab, fixtureHost('malformed', {}, { [key]: value })).then(() => 'accepted', messageOf);
    expect(await refused('temper/approval', 'wipe')).toContain('allowed are erase, power-off and firmware');
    expect(await refused('temper/approval-window', 'saturday')).toContain(
      'invalid value for the temper/approval-window annotation: it is not five cron fields, a duration',
    );
    expect(await refused('temper/approval-budget', 'two')).toContain('invalid value for the temper/approval-budget');
    expect(await refused('temper/approval-given', 'go on')).toContain('it is not the code of a step');
    const namespace = await kubectl(lab, ['annotate', 'namespace', NAMESPACE, 'temper/approval=wipe']).catch(messageOf);
    expect(namespace).toContain('invalid value for the temper/approval annotation');
    for (const [value, answer] of [
      ['erase:1 per Rack/', 'invalid value for the temper/approval-budget annotation'],
      ['0', 'invalid value for the temper/approval-budget annotation'],
      ['erase, power-off: 2 per topology.kubernetes.io/zone; 10000', 'annotated'],
    ] as const) {
      const tried = ['annotate', 'namespace', NAMESPACE, `temper/approval-budget=${value}`, '--dry-run=server'];
      expect(await kubectl(lab, tried).catch(messageOf)).toContain(answer);
    }
  });
});

function causesOf(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  return cause === undefined ? messageOf(error) : `${messageOf(error)}: ${causesOf(cause)}`;
}
