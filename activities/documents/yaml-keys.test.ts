import { expect, test } from 'vitest';
import { readable } from '../../domain/data/content.ts';
import { readText } from '../../test/rendered/reading.ts';
import { toYaml } from './yaml.ts';

test.each([
  ['with a NEL', 'a\u0085b', 'a b'],
  ['of more than 1024 characters', 'k'.repeat(2_000), 'k'.repeat(2_000)],
])('a key %s is written as one that readers of both versions understand', (_, key, read) => {
  const content = { [read]: 'v', b: 'w' };
  expect(readText({ text: toYaml(readable({ [key]: 'v', b: 'w' })) })).toEqual({
    'YAML 1.1': content,
    'YAML 1.2': content,
  });
});
