import { expect, test } from 'vitest';
import { defined } from './defined.ts';

test('only undefined fields are left out: empty values are kept, in their order', () => {
  const fields = defined({ none: undefined, text: '', count: 0, flag: false, nothing: null });
  expect(Object.entries(fields)).toEqual([
    ['text', ''],
    ['count', 0],
    ['flag', false],
    ['nothing', null],
  ]);
});
