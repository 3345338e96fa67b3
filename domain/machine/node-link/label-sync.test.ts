import { expect, test } from 'vitest';
import { labelPatch, labelPrefixes, labelsWith } from './label-sync.ts';

test('prefixes are separated by commas, spaces and empty ones do not count', () => {
  expect(labelPrefixes(' b.example.com , a,,a')).toEqual(['a', 'b.example.com']);
  expect(labelPrefixes(' , ')).toEqual([]);
});

test('a prefix has to be a subdomain', () => {
  for (const invalid of ['A', 'a_b', '-a', 'a..b', `${'a'.repeat(254)}`])
    expect(labelPrefixes(`a,${invalid}`)).toEqual({ problem: `invalid prefix (${invalid})` });
});

test('only labels with exactly one of the prefixes count', () => {
  const labels = { 'a/x': '1', 'b/x': '2', a: '3', x: '4', 'a/': '5', '/a': '6', 'sub.a/x': '7' };
  expect(labelsWith(['a'], labels)).toEqual({ 'a/x': '1' });
});

test('a Node gets the labels of its host and loses those that the host does not have, others stay', () => {
  const present = { 'a/same': '1', 'a/other': '2', 'a/gone': '3', 'b/mine': '4', mine: '5' };
  expect(labelPatch(['a'], { 'a/same': '1', 'a/other': '9', 'a/new': '8' }, present)).toEqual({
    'a/gone': null,
    'a/other': '9',
    'a/new': '8',
  });
});

test('a Node that has them already is left alone', () => {
  expect(labelPatch(['a'], { 'a/x': '1' }, { 'a/x': '1', y: '2' })).toBeUndefined();
});
