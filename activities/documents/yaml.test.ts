import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ContentMap, readable } from '../../domain/data/content.ts';
import { readText } from '../../test/rendered/reading.ts';
import { toYaml } from './yaml.ts';

interface Row {
  readonly document: ContentMap;
  readonly answer: { readonly text: string };
}

const rows = JSON.parse(readFileSync(new URL('../../test/rendered/yaml.json', import.meta.url), 'utf8')) as Row[];
const readings = (content: ContentMap) => ({ 'YAML 1.1': content, 'YAML 1.2': content });

describe('content written as YAML', () => {
  test('is read back as it was, by readers of both versions', () => {
    const contents = rows.map(({ document }) => readable(document));
    expect(contents.map((content) => readText({ text: toYaml(content) }))).toEqual(contents.map(readings));
  });

  test('is what readers of both versions take from the text of sigs.k8s.io/yaml', () => {
    // Left out: what Go writes without quotes and not every reader takes for a text.
    const plain = rows.filter(({ answer }) => !/1e999|<<|\u2028/.test(answer.text));
    expect(plain.length).toBeGreaterThan(150);
    for (const { document, answer } of plain) {
      expect(readText({ text: toYaml(readable(document)) })).toEqual(readText(answer));
    }
  });

  test('quotes a text that a reader of either version would take for something else', () => {
    const words =
      `~ y No NULL .inf -.INF .NaN .5 .5e3 1 -1 +1 007 0x1F -0b1 0o17 1_000 1.5 1e3 1e999 12:30:45 << = 18446744073709551615
      -9223372036854775808 0xFFFFFFFFFFFFFFFF 2026-08-21 2000-2-29 2026-8-1T1:2:3Z`.split(/\s+/);
    for (const word of ['', ...words]) expect(toYaml({ [word]: word })).toBe(`"${word}": "${word}"\n`);
  });

  test('leaves other texts without quotes', () => {
    for (const word of ['a', 'metal3/host/m3m', '52:54:00:ab:cd:ef', '192.168.0.1', 'fe80::1']) {
      expect(toYaml({ a: word })).toBe(`a: ${word}\n`);
    }
  });

  test.each([' \n', '\n \n', '  \n\n'])('holds %j, blanks and line breaks alone', (text) => {
    expect(readText({ text: toYaml({ text }) })).toEqual(readings({ text }));
  });

  test('holds any text', () => {
    const text = fc.string({
      unit: fc.constantFrom(...Array.from(' a0_-:#,?!\'"\\\t\r\n{}[]&*|>@%`~=<é日😀\u00A0\u2028\uFEFF\0')),
    });
    fc.assert(
      fc.property(fc.dictionary(text, text), (content) => {
        expect(readText({ text: toYaml(content) })).toEqual(readings({ ...content }));
      }),
    );
  });

  test('is in one order, whatever the order of the keys', () => {
    expect(toYaml({ b: [], a: {} })).toBe('a: {}\nb: []\n');
  });

  test('repeats what stands in it twice', () => {
    const twice = [1];
    expect(toYaml({ a: twice, b: twice })).not.toContain('&');
  });
});
