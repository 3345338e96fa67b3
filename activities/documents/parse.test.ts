import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Parsed, parse } from './parse.ts';

const recorded = (file: string): string => readFileSync(new URL(`recorded/${file}`, import.meta.url), 'utf8');

interface Answer {
  readonly text: string;
  readonly answer?: unknown;
  readonly error?: true;
}

const ANSWERS = recorded('sigs-yaml.jsonl')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Answer);
const DIFFERENCES = JSON.parse(recorded('differences.json')) as Record<'refusedHere' | 'readHere', readonly string[]>;

/** Keys are sorted, and -0 is 0: JSON has both. */
const plain = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );

const read = (text: string): Extract<Parsed, { kind: 'data' }> => {
  const parsed = parse(text);
  if (parsed.kind === 'problem') throw new Error(`${JSON.stringify(text)}: ${JSON.stringify(parsed.problem)}`);
  return parsed;
};

describe("metadata and network data of users, compared with the answers of upstream's parser", () => {
  const readByBoth = ANSWERS.filter(({ text, error }) => !error && !DIFFERENCES.refusedHere.includes(text));

  test('are many forms', () => {
    expect(readByBoth.length).toBeGreaterThan(1_000);
  });

  test('have the same value where both read them', () => {
    const others = readByBoth.filter(({ text, answer }) => plain(read(text).data ?? null) !== plain(answer));
    expect(others).toEqual([]);
  });

  test('are refused by one of the two only in the forms that are listed', () => {
    const refusedHere = ANSWERS.filter(({ text, error }) => !error && parse(text).kind === 'problem');
    const readHere = ANSWERS.filter(({ text, error }) => error && parse(text).kind === 'data');
    expect(refusedHere.map(({ text }) => text)).toEqual(DIFFERENCES.refusedHere);
    expect(readHere.map(({ text }) => text)).toEqual(DIFFERENCES.readHere);
  });
});

describe('a document', () => {
  test('has merge keys, the last of duplicate keys, words of YAML 1.1, and nothing after its first document', () => {
    const text = 'base: &b {mtu: 9000}\nnic: {<<: *b, up: yes}\nmode: 0644\nmode: 0600\n---\nother: 1\n';
    expect(read(text).data).toEqual({ base: { mtu: 9000 }, nic: { mtu: 9000, up: true }, mode: 384 });
  });

  test('that is JSON is read as JSON', () => {
    expect(read('{"a":"\\ud83d\\ude00\\/","on":"0644",\t"<<":{"b":1}}').data).toEqual({
      a: '😀/',
      on: '0644',
      '<<': { b: 1 },
    });
  });

  test.each(['{"__proto__":{"a":1}}', '__proto__: {a: 1}', '<<: {__proto__: {a: 1}}'])(
    'may have any key: %s',
    (text) => {
      expect(JSON.stringify(read(text).data)).toBe('{"__proto__":{"a":1}}');
      expect(({} as Record<string, unknown>)['a']).toBeUndefined();
    },
  );

  test('means the anchor that stands before the alias, also where it is repeated by another alias', () => {
    expect(read('a: &x [&y 1]\nb: &y 2\nc: *x\nd: *y\n').data).toEqual({ a: [1], b: 2, c: [1], d: 2 });
  });

  test.each(['', ' \n', '# nothing\n', 'null', '---\n'])('may be empty: %j', (text) => {
    expect(read(text).data).toBeUndefined();
  });

  test.each([
    ['a: 1\nb: [canary', 2],
    ['a: 1\r\nb: canary: c', 2],
    ['a: 1\rb: "canary', 2],
    ['\n\n- canary\n- @canary', 4],
    ['a: {<<: canary}', 1],
    ['a:\n  b: !!int canary', 2],
    ['a:\n  b: .inf #canary', 2],
    ['a: &canary [*canary]', 1],
    ['a: 1\n\tb: canary', 2],
    ['a: *canary', 1],
  ])('that is wrong is refused with the line, and without a word of it: %j', (text, line) => {
    const parsed = parse(text);
    expect(parsed).toMatchObject({ kind: 'problem', problem: { line, column: expect.any(Number) as number } });
    expect(JSON.stringify(parsed)).not.toContain('canary');
  });

  test('names the column', () => {
    expect(parse('a: 1\nb: @x')).toMatchObject({ problem: { line: 2, column: 4 } });
  });

  test.each(['- canary', 'canary', '[1]', '1'])('is a table: %s', (text) => {
    expect(parse(text)).toEqual({ kind: 'problem', problem: { reason: 'it is not an object' } });
  });
});
