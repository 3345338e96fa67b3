import { describe, expect, test } from 'vitest';
import { inWords, STEERING_SHAPES } from './messages.ts';

const ASKED = { by: 'ada', reason: 'the fan is loud' };
const { quarantine, power, forceDelete } = STEERING_SHAPES;

describe('the input of a message', () => {
  test.each([
    ['nothing', undefined, 'it is not an object'],
    ['null', null, 'it is not an object'],
    ['a text', 'ada', 'it is not an object'],
    ['a list', [ASKED], 'it is not an object'],
    ['nobody', { reason: 'r' }, 'it.by is not a text'],
    ['no reason', { by: 'ada' }, 'it.reason is not a text'],
    ['an empty reason', { ...ASKED, reason: '' }, 'it.reason is empty'],
    ['a blank name', { ...ASKED, by: '  ' }, 'it.by is empty'],
    ['a long name', { ...ASKED, by: 'a'.repeat(101) }, 'it.by is longer than 100 characters'],
    ['a long reason', { ...ASKED, reason: 'r'.repeat(301) }, 'it.reason is longer than 300 characters'],
    ['two lines', { ...ASKED, reason: 'one\ntwo' }, 'it.reason is not one line of printable characters'],
    ['a control character', { ...ASKED, by: 'a\u0007' }, 'it.by is not one line of printable characters'],
    ['a number', { ...ASKED, reason: 5 }, 'it.reason is not a text'],
  ])('with %s is refused', (_, input, problem) => {
    expect(quarantine(input, 'it')).toBe(problem);
  });

  test('says who and why, in one line each', () => {
    expect(quarantine(ASKED, 'it')).toBeUndefined();
    expect(quarantine({ by: 'Åda', reason: 'der Lüfter: 🔊' }, 'it')).toBeUndefined();
  });

  test('of power says which way, that of a deletion by force the name of the host', () => {
    expect(power({ ...ASKED, to: 'off' }, 'it')).toBeUndefined();
    expect(power(ASKED, 'it')).toBe('it.to is not one of on, off, reboot');
    expect(power({ ...ASKED, to: 'up' }, 'it')).toBe('it.to is not one of on, off, reboot');
    expect(forceDelete({ ...ASKED, confirm: 'node-1' }, 'it')).toBeUndefined();
    expect(forceDelete(ASKED, 'it')).toBe('it.confirm is not a text');
  });
});

test('who asked and why is said in words, also for an annotation without a name', () => {
  expect(inWords(ASKED)).toBe('by ada: the fan is loud');
  expect(inWords({ by: '', reason: 'loud' })).toBe('by an annotation: loud');
  expect(inWords({ by: '', reason: '' })).toBe('by an annotation');
});
