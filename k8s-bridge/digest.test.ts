import { expect, test } from 'vitest';
import { isCut } from '../domain/message/shape.ts';
import { digestOf, digestOfStatus, messageText } from './digest.ts';

test.each([
  ['in another order', { a: 1, b: [{ c: 2, d: 3 }] }, { b: [{ d: 3, c: 2 }], a: 1 }],
  ['without what is undefined', { a: 1 }, { a: 1, c: undefined }],
])('the same %s has the same digest', (_, one, other) => {
  expect(digestOf(one)).toBe(digestOf(other));
});

test.each([
  ['value', { a: 1 }, { a: '1' }],
  ['order of a list', { a: [1, 2] }, { a: [2, 1] }],
  ['empty object', { a: {} }, {}],
  ['null', { a: null }, {}],
  ['list in place of an object', { a: [['b', 1]] }, { a: { b: 1 } }],
])('another %s has another digest', (_, one, other) => {
  expect(digestOf(one)).not.toBe(digestOf(other));
});

test('in a status null is as good as absent, as it is to a merge patch', () => {
  expect(digestOfStatus({ a: { start: null } })).toBe(digestOfStatus({ a: {} }));
  expect(digestOfStatus({ a: { start: null } })).not.toBe(digestOfStatus({}));
});

test('a text that is too long for a message is recognised as cut, and no other is', () => {
  const long = 'x'.repeat(70_000);
  expect([long, `${long}1`, `\n${long}`].map(messageText).map(isCut)).toEqual([true, true, true]);
  expect(['', 'baremetalhost:///metal/host-1/uid', 'x'.repeat(60_000)].map(messageText).map(isCut)).toEqual([
    false,
    false,
    false,
  ]);
});
