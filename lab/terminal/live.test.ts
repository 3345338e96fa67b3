import { PassThrough } from 'node:stream';
import type { WriteStream } from 'node:tty';
import { describe, expect, test } from 'vitest';
import { openLive } from './live.ts';

describe('what is live without a terminal', () => {
  test('is a line for each change, and the tables at the end', () => {
    const out = aStream({});
    const live = openLive(out);
    const changed = live.table(() => 'HOSTS');
    live.table(() => 'CLUSTER');

    changed('host-1  new');
    live.note('by the way');
    live.end();
    changed('host-1  gone');

    expect(saidOn(out)).toMatch(/^ +\d+\.\d s {2}host-1 {2}new\nby the way\n\nHOSTS\nCLUSTER\n$/);
  });
});

describe('what is live on a terminal', () => {
  test('leaves the tables above what those beneath do not need', () => {
    const out = aStream({ isTTY: true, rows: 10, columns: 80 });
    const live = openLive(out);
    live.table(({ rows }) => `room for ${rows}`);
    live.table(() => 'three\nlines\nhere');

    live.end();

    expect(saidOn(out)).toContain('room for 6\nthree\nlines\nhere\n');
  });
});

describe('waiting for something live', () => {
  test('ends with the change by which it is so', async () => {
    const live = openLive(aStream({}));
    const changed = live.table(() => '');
    let count = 0;

    const waiting = live.until(() => count === 2, new AbortController().signal);
    for (; count < 2; changed('')) count += 1;

    await expect(waiting).resolves.toBeUndefined();
  });

  test('ends when it is given up', async () => {
    const giveUp = new AbortController();
    const waiting = openLive(aStream({})).until(() => false, giveUp.signal);

    giveUp.abort();

    await expect(waiting).resolves.toBeUndefined();
  });
});

const aStream = (properties: Partial<WriteStream>): WriteStream =>
  Object.assign(new PassThrough({ encoding: 'utf8' }), properties) as unknown as WriteStream;

const saidOn = (out: WriteStream): string => (out.read() as unknown as string | null) ?? '';
