import { describe, expect, test } from 'vitest';
import { type Drive, mediaMove } from './media.ts';

const A = 'http://images/a.iso';
const B = 'http://images/b.iso';

describe('a virtual drive', () => {
  test.each<[string, Drive, ReturnType<typeof mediaMove>]>([
    ['takes the image while it is empty', { inserted: false, attached: '', wanted: A, asked: null }, 'attach'],
    ['takes it again when it was lost', { inserted: false, attached: A, wanted: A, asked: null }, 'attach'],
    ['is left alone with the right image', { inserted: true, attached: A, wanted: A, asked: null }, 'done'],
    ['is emptied before another image', { inserted: true, attached: A, wanted: B, asked: null }, 'detach'],
    ['takes the other image then', { inserted: false, attached: '', wanted: B, asked: 'detach' }, 'attach'],
    ['has what it was asked to take', { inserted: true, attached: A, wanted: A, asked: 'attach' }, 'done'],
    ['has not taken it', { inserted: false, attached: A, wanted: A, asked: 'attach' }, 'failed'],
    ['gives up what nobody put in for us', { inserted: true, attached: '', wanted: A, asked: null }, 'attach'],
    ['is emptied at the end', { inserted: true, attached: A, wanted: '', asked: null }, 'detach'],
    ['is empty then', { inserted: false, attached: '', wanted: '', asked: 'detach' }, 'done'],
    ['keeps what it should give', { inserted: true, attached: '', wanted: '', asked: 'detach' }, 'failed'],
    ['keeps the old image', { inserted: true, attached: '', wanted: B, asked: 'detach' }, 'failed'],
    ['is only looked into', { inserted: true, attached: A, wanted: null, asked: null }, 'done'],
  ])('%s', (_, drive, expected) => {
    expect(mediaMove(drive)).toBe(expected);
  });
});
