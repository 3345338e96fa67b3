import { describe, expect, test } from 'vitest';
import type { BareMetalHostSpec } from '../../api/baremetalhost/types.ts';
import { shortName, ticketOf } from '../../domain/lock/marks.ts';
import { KINDS } from '../../kube/kinds.ts';
import { createStore } from '../../kube/store.ts';
import { admittedHost } from '../../test/builders/admission.ts';
import { putIn } from '../../test/builders/stored-objects.ts';
import { createLockActivities } from './hosts-for-locks.ts';

const INHERITED = JSON.stringify([{ of: 'Namespace metal', budget: 'erase: 1 per rack; power-off: 3' }]);
const BUDGET = { 'temper/approval-inherited': INHERITED };
const IMAGE = { url: 'http://images/a', checksum: 'http://images/SUMS' };

/** The hosts whose step has begun, with their needs, in a cluster with one such host. */
async function underway(
  state: string,
  {
    annotations = BUDGET,
    deployed = '',
    failures = 0,
  }: { readonly annotations?: Record<string, string>; readonly deployed?: string; readonly failures?: number } = {},
) {
  const store = createStore();
  store.markComplete();
  const spec: Partial<BareMetalHostSpec> = { online: true, image: IMAGE };
  const host = admittedHost({ spec, state, annotations });
  const metadata = { annotations, labels: { rack: 'r1' } };
  const provisioning = { state, ID: 'n', ...(deployed !== '' && { image: { url: deployed } }) };
  const shown = { operationalStatus: 'OK', errorMessage: '', errorCount: 0, poweredOn: true };
  const status = { ...shown, provisioning, provisioningFailCount: failures };
  putIn(store, KINDS.host, 'host-1', { ...host, metadata, status });
  return (await createLockActivities(store).hostsUnderway({ after: '' })).requests;
}
const RACK = { budget: 'erase in Namespace metal, rack=r1', limit: 1 };
const OFF = { budget: 'power-off in Namespace metal', limit: 3 };

test.each([
  ['provisioning', '', 0, [RACK]],
  ['deprovisioning', 'http://images/a', 0, [RACK, OFF]],
  ['preparing', '', 0, [RACK]],
  ['available', '', 5, [RACK]],
  ['inspecting', '', 1, [RACK]],
])('a host that is %s has its places, as its object shows', async (state, deployed, failures, needs) => {
  expect(await underway(state, { deployed, failures })).toEqual([
    {
      holder: 'baremetalhost/metal/host-1',
      uid: 'host-1-uid',
      ticket: ticketOf('host-1-uid', 'shown'),
      needs,
      underway: true,
    },
  ]);
});

test.each(['available', 'provisioned', 'deprovisioning', ''])(
  'a host that is %s, with nothing deployed, has none',
  async (state) => {
    expect(await underway(state)).toEqual([]);
  },
);

test('a host without a budget has none', async () => {
  expect(await underway('provisioning', { annotations: {} })).toEqual([]);
});

test('nobody is counted or named before all objects are listed', async () => {
  const activities = createLockActivities(createStore());
  await expect(activities.hostsUnderway({ after: '' })).rejects.toThrow('not all objects are listed yet');
  await expect(activities.namesOfHosts({ shortNames: [] })).rejects.toThrow('not all objects are listed yet');
});

describe('with many hosts', () => {
  const long = (index: number): string => String(index).padStart(2, '0').padStart(253, 'x');
  const store = createStore();
  store.markComplete();
  const many = JSON.stringify(
    Array.from({ length: 4 }, (_, at) => ({
      of: `Cluster metal/${long(at)}`,
      budget: Array.from({ length: 20 }, (__, part) => `erase: 1 per ${'p'.repeat(250)}/${part}`).join('; '),
    })),
  );
  for (let index = 0; index < 40; index++) {
    const { status = {}, ...host } = admittedHost({ spec: { online: true, image: IMAGE }, state: 'provisioning' });
    const metadata = { ...host.metadata, name: long(index), annotations: { 'temper/approval-inherited': many } };
    putIn(store, KINDS.host, long(index), { ...host, metadata, status });
  }
  const activities = createLockActivities(store);

  test('they come in pages of less than 1 MB, each host once', async () => {
    const found: string[] = [];
    let pages = 0;
    for (let after: string | undefined = ''; after !== undefined; pages++) {
      const page = await activities.hostsUnderway({ after });
      expect(JSON.stringify(page).length).toBeLessThan(1_000_000);
      found.push(...page.requests.map(({ holder }) => holder.slice(-2)));
      after = page.next;
    }
    expect(pages).toBeGreaterThan(1);
    expect(found).toEqual(Array.from({ length: 40 }, (_, index) => long(index).slice(-2)));
  });

  test('each has a name for what stands for it, and a host that does not exist has none', async () => {
    const id = `baremetalhost/metal/${long(7)}`;
    const shortNames = [shortName(id), shortName('baremetalhost/metal/gone')];
    expect(await activities.namesOfHosts({ shortNames })).toEqual({ ids: [id] });
  });
});
