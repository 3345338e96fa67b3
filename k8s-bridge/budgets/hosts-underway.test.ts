import { expect, test } from 'vitest';
import type { BareMetalHostSpec } from '../../api/baremetalhost/types.ts';
import { KINDS } from '../../kube/kinds.ts';
import { createStore } from '../../kube/store.ts';
import { admittedHost } from '../../test/builders/admission.ts';
import { putIn } from '../../test/builders/stored-objects.ts';
import { createHostsUnderway } from './hosts-underway.ts';

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
  return await createHostsUnderway(store).hostsUnderway();
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
      ticket: 'host-1-uid/shown by its object',
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

test('nobody is counted before all objects are listed', () => {
  expect(() => createHostsUnderway(createStore()).hostsUnderway()).toThrow('not all objects are listed yet');
});
