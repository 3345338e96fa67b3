import { describe, expect, test } from 'vitest';
import { DOCUMENT_LIMITS } from './limits.ts';
import { parse } from './parse.ts';

const { bytes, tokens, values, characters, depth } = DOCUMENT_LIMITS;

/** Repeats it up to the size of a Secret. */
const filled = (unit: string): string => unit.repeat(bytes / unit.length);
const lines = (size: number, line: (index: number) => string): string => {
  let text = '';
  for (let index = 0; text.length < size; index++) text += line(index);
  return text;
};
/** Nine times as many in each line. */
const bomb = (levels: number): string =>
  Array.from({ length: levels }, (_, level) =>
    level === 0 ? 'a0: &a0 x\n' : `a${level}: &a${level} [${`*a${level - 1},`.repeat(9)}]\n`,
  ).join('');

const DEEP = `more than ${depth} collections are within each other`;
const MANY_VALUES = `it has more than ${values} values, with those that aliases repeat`;
const MANY_JSON_VALUES = `it has more than ${values} values`;
const MANY_TOKENS = `it has more than ${tokens} tokens`;
const LONG = `it has more than ${characters} characters, with those that aliases repeat`;

/** The worst texts that we know for each bound, with what is said of them; undefined: they are read. */
const WORST: readonly (readonly [name: string, text: string, reason: string | undefined])[] = [
  ['a value as long as a Secret', `a: |\n${filled(' b\n')}`.slice(0, bytes), undefined],
  ['a line as long as a Secret', `a: ${filled('b')}`.slice(0, bytes), undefined],
  ['escapes alone', `a: "${filled('\\n')}`.slice(0, bytes - 2).replace(/\\?$/, '"'), undefined],
  ['many keys, 379 KiB', lines(379 * 1024, (index) => `k${index}: v\n`), MANY_TOKENS],
  ['many keys, 86 KiB', lines(86 * 1024, (index) => `k${index}: v\n`), undefined],
  ['the same key', filled('a: 1\n'), MANY_TOKENS],
  ['brackets that close what is not open', filled('}\n'), 'something is here that cannot be here'],
  ['brackets that are not closed', filled('['), MANY_TOKENS],
  ['fewer of them', '['.repeat(50_000), DEEP],
  ['as many errors as tokens', `[${filled('"a" "b" ')}`, MANY_TOKENS],
  ['anchors', `a: ${filled('&a ')}`, MANY_TOKENS],
  ['aliases of aliases', bomb(12), MANY_VALUES],
  ['aliases of a long text', `a: &a ${'x'.repeat(bytes / 2)}\nb: [${'*a,'.repeat(100)}]`, LONG],
  [
    'merge keys of merge keys',
    lines(2_000, (index) => `a${index}: &a${index} {<<: [${`*a${index - 1},`.repeat(index && 9)}]}\n`),
    MANY_VALUES,
  ],
  [
    'a chain of aliases',
    lines(20_000, (index) => (index === 0 ? 'a0: &a0 x\n' : `a${index}: &a${index} [*a${index - 1}]\n`)),
    DEEP,
  ],
  ['deep YAML', `a: ${'{a: '.repeat(5_000)}`, DEEP],
  ['deep JSON', `{"a":${'['.repeat(bytes / 2 - 4)}${']'.repeat(bytes / 2 - 4)}}`, DEEP],
  ['JSON with many values', `{"a":[${'[],'.repeat(bytes / 3 - 4)}[]]}`, MANY_JSON_VALUES],
  ['blank lines', `a:${filled('\n')} b`, MANY_TOKENS],
  ['directives', `${filled('%FOO a\n')}---\na: 1`, MANY_TOKENS],
];

/** Seconds of CPU that this thread needs for it. */
function cpuSeconds(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1e6;
}

describe('a text of one tenant', () => {
  test.each(WORST)('takes a thread few seconds, whatever it has: %s', (_, text, reason) => {
    let said: string | undefined;
    const read = (): void => {
      const parsed = parse(text);
      said = parsed.kind === 'data' ? undefined : parsed.problem.reason;
    };
    expect(cpuSeconds(read)).toBeLessThan(10);
    expect(said).toBe(reason);
  });
});
