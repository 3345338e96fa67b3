import { expect, test } from 'vitest';
import { absorb, aMachineOnHost, anOwnHost, look, settled } from '../../test/builders/machine.ts';
import { show } from './report/show.ts';

const BOOT = { name: 'boot', namespace: 'metal' };

test('a machine that lost its status in a move finds out which Secret its user data is, and removes it from its host', () => {
  const { memory } = look(aMachineOnHost());
  expect(show(memory).status).toMatchObject({ userData: BOOT });
  expect(anOwnHost().userData).toEqual(BOOT);
  const deleted = aMachineOnHost({ deletionTimestamp: '2026-01-02T00:00:00Z', resourceVersion: '101' });
  expect(settled(absorb(memory, deleted)).step).toMatchObject({
    action: { name: 'deprovision host', order: { change: { image: null, userData: null } } },
  });
});
