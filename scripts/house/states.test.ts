import { expect, test } from 'vitest';
import { ROOT } from './production.ts';
import { decidesByName, filesDecidingByName, statesNeverEntered } from './states.ts';

/** Files with such words that do not mean the state of a host. */
const MAY: Readonly<Record<string, string>> = {
  'domain/host/plan/words.ts': 'States of a node in Ironic.',
  'domain/machine-api/entity.ts': 'The phase of a Machine.',
  'domain/machine/report/listed.ts': 'The phase of a Metal3Machine.',
  'k8s-bridge/sweeps/node-drift.ts': 'The state of a node in Ironic.',
  'k8s-bridge/webhooks/serving/lane.ts': 'A message between threads.',
};

test('no rule names a state of hosts outside the table of states and the rules of the states', () => {
  expect(filesDecidingByName(ROOT)).toEqual(Object.keys(MAY).toSorted());
});

test.each([
  "if (state === 'provisioned') return;",
  "if ('provisioned' !== state) return;",
  "case 'powering off before delete':",
  "states.includes('available')",
  "const FREE: readonly string[] = ['other', 'available'];",
  "const FREE = [\n  ...OTHERS,\n  'match profile',\n];",
  'const WORDS: Partial<Record<ProvisioningState, string>> = {',
])('a comparison, a list and a table are found: %j', (text) => {
  expect(decidesByName(text)).toBe(true);
});

test.each([
  "enter(memory, 'available', now)",
  "type Record = HostStatus['provisioning'];",
  "at(before, 'status')['provisioned']",
  "{ state: 'provisioned' }",
])('the state that a host enters, a field and an example are not: %j', (text) => {
  expect(decidesByName(text)).toBe(false);
});

test('every state is entered by a rule, but for two that only other operators enter', () => {
  expect(statesNeverEntered()).toEqual(['match profile', 'ready']);
});
