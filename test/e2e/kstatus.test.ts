import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { hostCollection } from '../../kube/paths.ts';
import { type Watch, watchVersions } from '../differential/watch-versions.ts';
import { kstatusOf } from '../kstatus/kstatus.ts';
import { untrueIn } from '../kstatus/untrue.ts';
import { approvals } from './support/approvals.ts';
import { fixtureHost, fixtureSecret, IMAGE, type TestFixtureLab } from './support/fixture.ts';
import { apply, editHost, type Host, hostIn, hostThat, kubectl, NAMESPACE } from './support/hosts.ts';
import { joinFixtureLab } from './support/place/join.ts';
import { QUICK_FIXTURE } from './support/place/quick-fixture.ts';
import { failing } from './support/steering.ts';

/** What clients that wait for a host believe, at each write of its status, in the stories of this file. */
const OTHER = { ...IMAGE, url: 'http://192.168.222.1/other.img' };
const QUARANTINE = 'temper/quarantine';
const DETACHED = 'baremetalhost.metal3.io/detached';
let lab: TestFixtureLab;
let watch: Watch<'BareMetalHost'>;
const { annotate, approve, available, held } = approvals(() => lab);
beforeAll(async () => {
  lab = await joinFixtureLab({ temperEnv: { MAX_PROVISIONING_RETRIES: '1' }, envOf: { workers: QUICK_FIXTURE } });
  watch = await watchVersions({ kube: lab.kube, paths: { BareMetalHost: hostCollection(NAMESPACE) } });
});
afterAll(async () => {
  await watch?.stop();
  await lab?.stop();
});

async function provisioned(name: string, annotations: object = {}): Promise<void> {
  await available(name, annotations);
  await editHost(lab, name, { image: IMAGE });
  await expectCurrent(name);
}

const conditions = z.object({
  conditions: z
    .array(z.object({ type: z.string(), reason: z.string(), message: z.string(), observedGeneration: z.number() }))
    .default([]),
});
const conditionOf = ({ status }: Host, type: string) =>
  conditions.parse(status).conditions.find((each) => each.type === type);
const hostWith = (name: string, type: string, reason: string): Promise<Host> =>
  hostThat(lab, name, `${type}: ${reason}`, (host) => conditionOf(host, type)?.reason === reason);
/** Ready is of the present spec, and kstatus says so, too. */
const expectCurrent = (name: string): Promise<Host> =>
  hostThat(lab, name, 'current', (host) => {
    const isReached = conditionOf(host, 'Ready')?.observedGeneration === host.metadata.generation;
    return isReached && kstatusOf(host) === 'Current';
  });
const waitOnce = (name: string): Promise<string> =>
  kubectl(lab, ['wait', `bmh/${name}`, '--for=condition=Ready', '--timeout=0']);
/** Neither kstatus nor kubectl takes it for ready, although its former image runs. */
async function expectToWait(name: string, host: Host): Promise<void> {
  expect(kstatusOf(host)).toBe('InProgress');
  expect(conditionOf(host, 'Provisioned')?.observedGeneration).toBe(host.metadata.generation);
  expect(conditionOf(host, 'Ready')?.observedGeneration).toBeLessThan(host.metadata.generation);
  expect((await failing(waitOnce(name)))[0]).toBe(1);
}

describe.concurrent('a provisioned host', () => {
  test('whose next image waits for an approval, and then in quarantine, is in progress until it runs', async ({
    expect,
  }) => {
    const name = 'held';
    await provisioned(name, { 'temper/approval': 'power-off' });
    expect(await waitOnce(name)).toContain('condition met');
    await editHost(lab, name, { image: OTHER });
    const { code } = await held(name, 'ApprovalNeeded');
    await expectToWait(name, await hostWith(name, 'Reconciling', 'ApprovalNeeded'));
    await annotate(name, `${QUARANTINE}=loud`);
    await expectToWait(name, await hostWith(name, 'Reconciling', 'Quarantined'));
    await approve(name, code);
    await annotate(name, `${QUARANTINE}-`);
    await expectCurrent(name);
  });

  test('whose user data is changed, which nothing acts on, stays current', async ({ expect }) => {
    const name = 'data';
    await provisioned(name);
    await editHost(lab, name, { userData: { name: 'other', namespace: NAMESPACE } });
    expect(conditionOf(await expectCurrent(name), 'Reconciling')).toBeUndefined();
  });

  test('that is switched off and on is in progress meanwhile', async () => {
    const name = 'power';
    await provisioned(name);
    for (const online of [false, true]) {
      await editHost(lab, name, { online });
      await hostThat(lab, name, `on: ${online}`, ({ status }) => status.poweredOn === online);
      await expectCurrent(name);
    }
  });

  test('whose image was changed while it was detached is in progress from its attachment', async () => {
    const name = 'detached';
    await provisioned(name);
    await annotate(name, `${DETACHED}=`);
    await hostThat(lab, name, 'detached', ({ status }) => status.operationalStatus === 'detached');
    await editHost(lab, name, { image: OTHER });
    await annotate(name, `${DETACHED}-`);
    await expectCurrent(name);
  });
});

describe.concurrent('a host', () => {
  test('that is in quarantine from its birth shows why it has no state', async ({ expect }) => {
    const name = 'born-held';
    await apply(lab, fixtureSecret(name), fixtureHost(name, {}, { [QUARANTINE]: 'loud' }));
    const host = await hostWith(name, 'Reconciling', 'Quarantined');
    expect(host.status.provisioning.state).toBe('');
    expect(conditionOf(host, 'Ready')).toMatchObject({
      reason: 'NotProvisioned',
      message: expect.stringContaining('loud') as string,
    });
    expect(kstatusOf(host)).toBe('InProgress');
    await annotate(name, `${QUARANTINE}-`);
    await hostIn(lab, name, 'available');
  });

  test('whose image was given up has failed, until it gets another', async ({ expect }) => {
    const name = 'given-up';
    await available(name, { 'temper/fixture-fail': 'provision' });
    await editHost(lab, name, { image: IMAGE });
    await hostThat(lab, name, 'in error', ({ status }) => status.errorType === 'provisioning error');
    await annotate(name, 'temper/retry=once');
    expect(kstatusOf(await hostWith(name, 'Stalled', 'RetryLimitReached'))).toBe('Failed');
    await annotate(name, 'temper/fixture-fail-');
    await editHost(lab, name, { image: OTHER });
    await expectCurrent(name);
  });
});

describe('the hosts of this file', () => {
  test('were never current too early, and are as they say at the end', async () => {
    // This watch may be behind those of the stories.
    await expect.poll(() => untrueIn(watch.of(NAMESPACE).versions()), { timeout: 60_000 }).toEqual([]);
  });
});
