import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { replaced } from './cast.ts';
import { framesOf } from './frames.ts';
import { svgOf } from './svg.ts';

const RED_CROSS = '\u001b[31m✖\u001b[39m';
const cast = {
  columns: 30,
  rows: 2,
  output: [
    [0.1, `${RED_CROSS} etcd\r\n`],
    [0.2, 'in /tmp/x/temper'],
    [5, '\r\u001b[2Kready'],
  ],
} as const;

describe('a recording', () => {
  test('has a frame for each time at which the terminal showed something else', async () => {
    const frames = await framesOf(cast, 1);
    expect(frames.map(({ at }) => at)).toEqual([1, 5]);
    const [cross] = frames[0]?.rows[0] ?? [];
    expect(cross).toEqual({ column: 0, text: '✖', colour: 1, isBold: false, isDim: false });
    expect(frames.map(({ rows }) => rows[1]?.map(({ text }) => text))).toEqual([['in /tmp/x/temper'], ['ready']]);
  });

  test('has other words in place of private ones', async () => {
    const frames = await framesOf(replaced(cast, [['/tmp/x', '~']]), 1);
    expect(frames[0]?.rows[1]?.[0]?.text).toBe('in ~/temper');
  });

  test('is drawn with each row once, and ends with its last frame for those who want no motion', async () => {
    const svg = svgOf(await framesOf(cast, 1), { title: 'a <start>', columns: 30, rows: 2, speed: 2, endS: 1 });
    expect(svg).toContain('<title>a &lt;start&gt;</title>');
    expect(svg.match(/>etcd</g)).toHaveLength(1);
    expect(svg.match(/href="#r0"/g)).toHaveLength(2);
    expect(svg).toContain('.strip{transform:translateX(-280px)}');
    expect(svg).toContain('66.67%{transform:translateX(-280px)}');
  });
});

describe('the recording that the README shows', () => {
  const svg = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'images', 'npm-start.svg'), 'utf8');

  test('is small, and shows no path of the computer on which it was made', () => {
    expect(Buffer.byteLength(svg)).toBeLessThan(300_000);
    expect(svg.match(/\/(?:tmp|root|home|work|Users|var)\b[^<]*/g)).toBeNull();
  });

  test('shows hosts, the cluster, and the remediation of a worker', () => {
    for (const what of [/host-1.*provisioned/, /The cluster demo is up/, /demo-\S+ is back on host-[6-9]\./])
      expect(svg).toMatch(what);
  });
});
