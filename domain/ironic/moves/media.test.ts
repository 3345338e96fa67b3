import { describe, expect, test } from 'vitest';
import { type Drive, mediaMove } from './media.ts';

const A = 'http://images/a.iso';
const B = 'http://images/b.iso';

describe('a virtual drive', () => {
  test.each<[string, Drive, ReturnType<typeof mediaMove>]>([
    ['takes the image while it is empty', { inserted: false, attached: '', desired: A, requested: null }, 'attach'],
    ['takes it again when it was lost', { inserted: false, attached: A, desired: A, requested: null }, 'attach'],
    ['is left alone with the right image', { inserted: true, attached: A, desired: A, requested: null }, 'done'],
    ['is emptied before another image', { inserted: true, attached: A, desired: B, requested: null }, 'detach'],
    ['takes the other image then', { inserted: false, attached: '', desired: B, requested: 'detach' }, 'attach'],
    ['has what it was asked to take', { inserted: true, attached: A, desired: A, requested: 'attach' }, 'done'],
    ['has not taken it', { inserted: false, attached: A, desired: A, requested: 'attach' }, 'failed'],
    ['gives up what nobody put in for us', { inserted: true, attached: '', desired: A, requested: null }, 'attach'],
    ['is emptied at the end', { inserted: true, attached: A, desired: '', requested: null }, 'detach'],
    ['is empty then', { inserted: false, attached: '', desired: '', requested: 'detach' }, 'done'],
    ['keeps what it should give', { inserted: true, attached: '', desired: '', requested: 'detach' }, 'failed'],
    ['keeps the old image', { inserted: true, attached: '', desired: B, requested: 'detach' }, 'failed'],
    ['is only looked into', { inserted: true, attached: A, desired: null, requested: null }, 'done'],
  ])('%s', (_, drive, expected) => {
    expect(mediaMove(drive)).toBe(expected);
  });
});
