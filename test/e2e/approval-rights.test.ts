import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, type ExpectStatic, expect, test } from 'vitest';
import { messageOf } from '../../domain/message-of.ts';
import { recordCommands } from '../../scripts/documented/ran.ts';
import { approvals } from './support/approvals.ts';
import { fixtureHost, IMAGE, type TestFixtureLab } from './support/fixture.ts';
import { apply, editHost, hostIn, kubectl, NAMESPACE } from './support/hosts.ts';
import { serveMachineApi } from './support/machine-api.ts';
import { create, remove } from './support/machines.ts';
import { shareFixtureLab } from './support/place/join.ts';
import { blockOf, createShell } from './support/versions/procedure.ts';

/** Who may approve a step, and which annotations about approvals are refused. */
const record = recordCommands('test/e2e/approval-rights.test.ts');
const INVALID = 'invalid value for the temper/approval annotation';
let lab: TestFixtureLab;
let folder: string;
let shell: Awaited<ReturnType<typeof createShell>>;
const { available, held, told } = approvals(() => lab);
beforeAll(async () => {
  lab = await shareFixtureLab();
  folder = await mkdtemp(join(tmpdir(), 'temper-approval-rights-'));
  shell = record.shell(await createShell(folder, lab.endpoints));
});
afterAll(async () => {
  if (folder !== undefined) await rm(folder, { recursive: true });
});

describe.concurrent('a host', () => {
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
    const approvers = await blockOf('docs/approvals.md', 'kubectl create clusterrolebinding approvers');
    await shell(approvers, { namespace: NAMESPACE, host: guarded });
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

  /** Mallory may change objects of these resources, and olga may also approve. */
  const allow = async (name: string, resources: readonly string[]): Promise<void> => {
    await kubectl(lab, ['create', 'role', name, '--verb=get,patch', `--resource=${resources.join(',')}`]);
    await kubectl(lab, ['create', 'rolebinding', name, `--role=${name}`, '--user=mallory', '--user=olga']);
    await kubectl(lab, ['create', 'rolebinding', `${name}-approver`, '--clusterrole=temper-approver', '--user=olga']);
  };
  const annotate = (resource: string, ...changes: readonly string[]): Promise<string> =>
    kubectl(lab, ['annotate', '--overwrite', resource, guarded, ...changes]).catch(messageOf);
  /** Mallory may only add the annotations of this object; olga may also change and remove them. */
  const expectKept = async (expect: ExpectStatic, resource: string): Promise<void> => {
    const [plural] = resource.split('.');
    expect(await annotate(resource, 'temper/approval=erase', 'temper/approval-budget=2', '--as=mallory')).toContain(
      'annotated',
    );
    for (const change of ['temper/approval-', 'temper/approval=firmware', 'temper/approval-budget=10000'])
      expect(await annotate(resource, change, '--as=mallory'), resource).toContain(
        `annotations temper/approval are for those who may update ${plural}/approval, which mallory may not`,
      );
    for (const change of ['temper/approval=firmware', 'temper/approval-', 'temper/approval-budget-'])
      expect(await annotate(resource, change, '--as=olga'), resource).toContain('annotated');
  };

  test('keeps what its Machine asks for until somebody with the right to it changes that', async ({ expect }) => {
    await serveMachineApi(lab);
    const resources = ['machines.machine.openshift.io', 'machines.cluster.k8s.io'];
    await allow('machine-editor', resources);
    await create(lab, 'openShiftMachine', guarded, {});
    await create(lab, 'clusterMachine', guarded, {});
    for (const resource of resources) {
      expect(await annotate(resource, 'temper/approval=wipe')).toContain(INVALID);
      await expectKept(expect, resource);
    }
    await remove(lab, 'openShiftMachine', guarded);
    await remove(lab, 'clusterMachine', guarded);
  });

  test('keeps what its Metal3Machine and its Cluster ask for in the same way', async ({ expect }) => {
    await allow('owner-editor', ['metal3machines.infrastructure.cluster.x-k8s.io', 'clusters.cluster.x-k8s.io']);
    await create(lab, 'cluster', guarded, {});
    await create(lab, 'metal3Machine', guarded, { spec: { image: IMAGE } });
    for (const resource of [
      'metal3machines.v1beta1.infrastructure.cluster.x-k8s.io',
      'metal3machines.v1beta2.infrastructure.cluster.x-k8s.io',
      'clusters.cluster.x-k8s.io',
    ]) {
      expect(await annotate(resource, 'temper/approval=wipe')).toContain(INVALID);
      await expectKept(expect, resource);
    }
    await remove(lab, 'metal3Machine', guarded);
    await remove(lab, 'cluster', guarded);
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
    expect(namespace).toContain(INVALID);
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

describe.concurrent('a namespace', () => {
  test('keeps what it asks for, whichever request would change that', async ({ expect, onTestFinished }) => {
    const name = `${NAMESPACE}-subresources`;
    await kubectl(lab, ['create', 'namespace', name]);
    onTestFinished(() => kubectl(lab, ['delete', 'namespace', name, '--wait=false']).then(() => undefined));
    const resources = ['namespaces', 'namespaces/status', 'namespaces/finalize'];
    const role = ['create', 'clusterrole', name, '--verb=get,patch,update', `--resource=${resources.join(',')}`];
    await kubectl(lab, role);
    await kubectl(lab, ['create', 'clusterrolebinding', name, `--clusterrole=${name}`, '--user=trent']);
    onTestFinished(() => kubectl(lab, ['delete', 'clusterrole,clusterrolebinding', name]).then(() => undefined));
    const path = `/api/v1/namespaces/${name}`;
    const put = async (to: string, annotations: object): Promise<string> => {
      const found = JSON.parse(await kubectl(lab, ['get', '--raw', path])) as { readonly metadata: object };
      const input = JSON.stringify({ ...found, metadata: { ...found.metadata, annotations } });
      const args = ['replace', '--raw', to, '-f', '-', '--as=trent'];
      return kubectl(lab, args, { input }).then(() => 'accepted', messageOf);
    };
    const refusal = 'annotations temper/approval are for those who may update namespaces/approval, which trent may not';

    expect(await put(path, { 'temper/approval': 'erase' })).toBe('accepted');
    for (const to of [path, `${path}/status`, `${path}/finalize`]) {
      expect(await put(to, {}), to).toContain(refusal);
      expect(await put(to, { 'temper/approval': 'firmware' }), to).toContain(refusal);
      expect(await put(to, { 'temper/approval': 'erase', other: to }), to).toBe('accepted');
    }
  });

  test('whose annotation is from before its values were checked can be changed and deleted', async ({
    expect,
    onTestFinished,
  }) => {
    const name = `${NAMESPACE}-before`;
    const label = 'not-checked';
    const select = (objectSelector: object | null): Promise<string> =>
      kubectl(lab, [
        'patch',
        'validatingadmissionpolicybinding',
        'temper-approvals',
        '--type=merge',
        '-p',
        JSON.stringify({ spec: { matchResources: { objectSelector } } }),
      ]);
    await select({ matchExpressions: [{ key: label, operator: 'DoesNotExist' }] });
    onTestFinished(() => select(null).then(() => undefined));
    const metadata = { name, labels: { [label]: '' }, annotations: { 'temper/approval': 'wipe' } };
    await expect
      .poll(() => apply(lab, { apiVersion: 'v1', kind: 'Namespace', metadata }).then(() => 'accepted', messageOf))
      .toBe('accepted');
    await kubectl(lab, ['label', 'namespace', name, `${label}-`]);
    const annotate = ['annotate', '--overwrite', 'namespace', name];
    expect(await kubectl(lab, [...annotate, 'temper/approval=scrub']).catch(messageOf)).toContain('invalid value');
    await kubectl(lab, ['delete', 'namespace', name, '--wait=true']);
  });
});
