import { expect, test } from 'vitest';
import { shortened } from './listed.ts';

/** The limit of Temporal for the value of a search attribute. */
const LIMIT_BYTES = 2_048;

test.each(['a', 'ä', '\u0000', '\ud83d\ude00', '\udc00'])(
  'texts of any length, here of %j, fit into a list',
  (text) => {
    const { error, consumer } = shortened({
      state: 'provisioned',
      error: text.repeat(5_000),
      consumer: text.repeat(5_000),
    });
    for (const each of [error, consumer]) expect(Buffer.byteLength(JSON.stringify(each))).toBeLessThan(LIMIT_BYTES);
  },
);

test('the longest namespace and name are listed whole', () => {
  const listed = { state: 'provisioned', consumer: `${'n'.repeat(63)}/${'m'.repeat(253)}` };
  expect(shortened(listed)).toEqual(listed);
});
