import { expect, test } from 'vitest';
import { withChangedFields } from './changed-fields.ts';

test.each([
  ['', '', ''],
  ['', 'spec.image changed', 'spec.image changed'],
  ['spec.image changed', '', 'spec.image changed'],
  ['spec.online changed', 'spec.image changed, spec.online changed', 'spec.online changed, spec.image changed'],
])('%j and then %j are told as %j', (before, more, told) => {
  expect(withChangedFields(before, more)).toBe(told);
});

test('thousands of changes that no view has told yet have 200 characters', () => {
  let told = '';
  for (let count = 0; count < 5_000; count++) told = withChangedFields(told, `note-${count} set, spec.online changed`);
  expect(told).toHaveLength(200);
  expect(told).toMatch(/^note-0 set, spec\.online changed, note-1 set, /);
});
