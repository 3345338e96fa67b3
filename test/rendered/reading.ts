import { parse, type Tags } from 'yaml';
import type { Rendered, RenderedText } from './case.ts';

/** The data in a text, as each version of YAML reads it, or the error instead of a text. */
export interface Reading {
  readonly 'YAML 1.1'?: unknown;
  readonly 'YAML 1.2'?: unknown;
  readonly error?: string;
}

/** What is compared with upstream's output: data and types, without quotes, line breaks and the order of keys. */
export const read = ({ metaData, networkData, pools }: Rendered): object => ({
  metaData: readText(metaData),
  networkData: readText(networkData),
  pools,
});

export function readText({ text, error }: RenderedText): Reading {
  if (text === undefined) return error === undefined ? {} : { error };
  // In YAML 1.1 a line separator is a line break, after which upstream indents; this library reads it as a letter.
  const source = text.replaceAll(/\u2028 */g, '\u2028');
  return {
    'YAML 1.1': parse(source, { version: '1.1', customTags: strictTags }) as unknown,
    'YAML 1.2': parse(source, { version: '1.2' }) as unknown,
  };
}

/** Go writes `<<`, `e2` and an impossible date without quotes; this library would not read them as texts. */
const EXPONENT = /^[-+]?\.?[0-9][0-9_]*(?:\.[0-9_]*)?[eE][-+]?[0-9]+$/;

const strictTags = (tags: Tags): Tags =>
  tags.flatMap((tag) => {
    if (typeof tag === 'string' || !('test' in tag) || tag.test === undefined) return [tag];
    if (tag.tag === 'tag:yaml.org,2002:merge') return [];
    if (tag.tag === 'tag:yaml.org,2002:timestamp')
      return [{ ...tag, test: new RegExp(`^(?!2001-2-29$)(?:${tag.test.source})`) }];
    return [tag.format === 'EXP' ? { ...tag, test: EXPONENT } : tag];
  });
