import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import { afterEach, describe, expect, test } from 'vitest';
import { BOUNDS } from '../../../domain/bounds/bounds.ts';
import { cpuTimeOf } from '../../../test/builders/cpu-time.ts';
import { answerJson, tooLarge } from './answer-json.ts';
import { openConnection } from './connection.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const READ = { doing: 'read the inventory of node n', pool: 'reads' } as const;
const TOO_LARGE =
  "can't read the inventory of node n: beyond the bound of Ironic's answer: more than 4194304 characters";

describe('an answer of Ironic, with the words of machines and BMCs', () => {
  test('is ended at its bound, and the error names the bound', async () => {
    const chunk = Buffer.alloc(1_024 * 1_024, ' ');
    const server = createServer((_, response) => {
      const more = (): void => void (response.destroyed || response.write(chunk, more));
      more();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => new Promise((resolve) => void server.close(resolve)));
    const connection = openConnection({ endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
    closing.push(() => connection.close());
    const answer = await request(connection.base, { dispatcher: connection.pools.reads });
    const error: unknown = await answer.body.text().catch((thrown: unknown) => thrown);
    expect(tooLarge(error, READ)).toMatchObject({ type: 'IronicUnreadable', message: TOO_LARGE });
    expect(tooLarge(new Error('closed'), READ)).toBeUndefined();
  });

  test('is read within its bounds, and refused beyond them', () => {
    expect(answerJson('', READ)).toBeUndefined();
    expect(answerJson('{"a":1}', READ)).toEqual({ a: 1 });
    expect(() => answerJson('<html>', READ)).toThrow("can't read the inventory of node n: Ironic's answer is not JSON");
    expect(() => answerJson(`"${'x'.repeat(5_000_000)}"`, READ)).toThrow(TOO_LARGE);
    expect(() => answerJson('['.repeat(65), READ)).toThrow('more than 64 levels');
    expect(() => answerJson(`[${'1,'.repeat(60_000)}1]`, READ)).toThrow('more than 50000 values');
    expect(answerJson(`[${'1,'.repeat(60_000)}1]`, { ...READ, pool: 'lists' })).toHaveLength(60_001);
  });

  test.each([
    ['one text', JSON.stringify('x'.repeat(BOUNDS.ironicAnswer.characters - 2))],
    ['quotes', `"${String.raw`\"`.repeat(2_000_000)}"`],
    ['keys', `{${Array.from({ length: 24_900 }, (_, at) => `"k${at}":1`).join(',')}}`],
    ['nested lists', '['.repeat(2_000_000) + ']'.repeat(2_000_000)],
  ])('takes milliseconds of its thread at most when it is made of %s', (_, text) => {
    const read = (): void => {
      try {
        answerJson(text, READ);
      } catch {
        // Refused by its bound.
      }
    };
    expect(cpuTimeOf(read)).toBeLessThan(400);
  });
});
