import { expect, test } from 'vitest';
import { readable } from './content.ts';
import { DataProblem } from './facts.ts';

test('characters that no YAML may hold are refused, wherever they stand', () => {
  const problem = new DataProblem('yaml: control characters are not allowed');
  expect(() => readable({ a: 'x\u0080' })).toThrow(problem);
  expect(() => readable({ a: [{ 'x\u007F': 1 }] })).toThrow(problem);
});

test('line breaks that YAML knows and JSON does not are folded as upstream’s reader folds them', () => {
  expect(readable({ a: 'x \u0085 y', b: ['x\u0085\u0085\u0085y'] })).toEqual({ a: 'x y', b: ['x\n\ny'] });
});
