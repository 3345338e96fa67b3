import { expect, test } from 'vitest';
import { filesOfField } from './house/field.ts';
import { filesOfKind } from './house/kind.ts';
import { ROOT } from './house/production.ts';

/** What was reached, so that the next kinds do not undo it; `scripts/house/states.test.ts` has the states. */

test('an optional field that Ironic keeps as it is costs at most four files', () => {
  expect(filesOfField(ROOT).length).toBeLessThanOrEqual(4);
});

test('a kind is named in few files outside its own rooms: one line in the registry of each layer', () => {
  expect(filesOfKind(ROOT).existing.length).toBeLessThanOrEqual(6);
});
