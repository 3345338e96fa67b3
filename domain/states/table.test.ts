import { describe, expect, test } from 'vitest';
import { PROVISIONING_STATES, type ProvisioningState } from '../../api/baremetalhost/values.ts';
import { isAtRest, isBusyState, isFree, isInUse, traitsOf } from './table.ts';
import type { Traits } from './traits.ts';

const registered = PROVISIONING_STATES.filter((state) => traitsOf(state).node.isRegistered);

test.each(registered)('a registered host is either worked on or at rest, and so in the state %s', (state) => {
  expect(isBusyState(state)).toBe(!isAtRest(state));
});

test.each(PROVISIONING_STATES)('a deletion leads from the state %j to the end', (begun) => {
  const passed: ProvisioningState[] = [];
  let state: ProvisioningState | null = begun;
  while (state !== null && !passed.includes(state)) {
    passed.push(state);
    const { deletion }: Traits = traitsOf(state);
    state = deletion.leadsTo ?? deletion.givenUp;
  }
  expect(traitsOf(passed.at(-1) ?? '').work).toBe('delete');
});

test.each(PROVISIONING_STATES.filter((state) => traitsOf(state).history !== null))(
  'a span of operationHistory is that of work: %s',
  (state) => {
    expect(traitsOf(state).work).toBe(traitsOf(state).history);
  },
);

describe.each(['constructor', 'rebuilding', 'Available'])('a state that Metal3 does not have, %s,', (state) => {
  test('is neither at rest nor worked on', () => {
    expect([isFree(state), isInUse(state), isBusyState(state)]).toEqual([false, false, false]);
  });

  test('keeps its host from being given away, because something may run on it', () => {
    expect(traitsOf(state).server.countsAsInUse).toBe(true);
  });
});
