import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { toGoYaml, YamlProblem, type YamlValue } from './yaml.ts';
import { compareKeys } from './yaml-keys.ts';
import { isPlainText } from './yaml-scalar.ts';

interface Row {
  readonly document: { readonly [key: string]: YamlValue };
  readonly answer: { readonly text: string };
}

const rows = JSON.parse(readFileSync(new URL('../../test/rendered/yaml.json', import.meta.url), 'utf8')) as Row[];

describe('a map as Go writes it', () => {
  test('is byte for byte what sigs.k8s.io/yaml makes of it', () => {
    expect(rows.map(({ document }) => toGoYaml(document))).toEqual(rows.map(({ answer }) => answer.text));
  });

  test('is empty in braces, and nothing else', () => {
    expect(toGoYaml({})).toBe('{}\n');
  });

  test('is read back as it was, by another library', () => {
    const long = 'long key '.repeat(20);
    const document = { list: [[], [1, [2]], { a: 'x\ny\n', 'b: c': '- ' }], [long]: { y: ['no', null, ''] } };
    expect(parse(toGoYaml(document))).toEqual(document);
  });

  test('is refused with characters that no YAML may hold', () => {
    expect(() => toGoYaml({ a: 'x\u0080' })).toThrow(new YamlProblem('yaml: control characters are not allowed'));
  });

  test('folds the line breaks that JSON leaves in a text and YAML does not', () => {
    expect(toGoYaml({ a: 'x \u0085 y', b: 'x\u0085\u0085\u0085y' })).toBe('a: x y\nb: |-\n  x\n\n  y\n');
  });
});

test.each(
  `~ y No NULL .inf -.INF .NaN .5 .5e3 1 -1 +1 007 089 0x1F -0b1 0b-1 0o17 1_000 1.5 1e3 12:30:45 18446744073709551615
   -9223372036854775808 0xFFFFFFFFFFFFFFFF 2026-08-21 2000-2-29 2026-8-1T1:2:3Z 2026-8-1t1:2:3.5+01:00`.split(/\s+/),
)('%j is quoted: a reader would take it for something else than a text', (text) => {
  expect(isPlainText(text)).toBe(false);
});

test('the empty text is quoted, and a moment with a space in it', () => {
  expect(['', '2026-8-1 1:2:3'].map(isPlainText)).toEqual([false, false]);
});

test.each(
  `a nO yEs . .. + - << = 1e999 0x 0b2 1:60 -0b-1 0xFFFFFFFFFFFFFFFFF -0xFFFFFFFFFFFFFFFF 2026-13-01 2026-2-29 1900-2-29
   2026-4-31 2026-8-1T25:2:3Z 52:54:00:ab:cd:ef 192.168.0.1`.split(/\s+/),
)('%j is a text without quotes too', (text) => {
  expect(isPlainText(text)).toBe(true);
});

test('keys are in the order of the numbers in them, letters behind all else', () => {
  const keys = 'a1 a2 a02 a10 a100 a101 a-1 a B _ 9 10 ä - a١'.split(' ');
  expect(keys.toSorted(compareKeys).join(' ')).toBe('- _ 9 10 B a a-1 a1 a2 a02 a10 a100 a101 a١ ä');
});
