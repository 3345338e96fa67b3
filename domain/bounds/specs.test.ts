import { describe, expect, test } from 'vitest';
import { takesLonger } from '../../test/builders/cpu-time.ts';
import { aHostFact, anOwner } from '../../test/builders/machine.ts';
import { hostSelector } from '../machine/choose-host/label-selector.ts';
import { labelOrder, labelPatch, labelPrefixes } from '../machine/node-link/label-sync.ts';
import { BOUNDS } from './bounds.ts';

const numbered = (count: number, text = (at: number) => `v${at}`): readonly string[] =>
  Array.from({ length: count }, (_, at) => text(at));

describe('a selector', () => {
  const { characters, values } = BOUNDS.selector;
  const requirement = { key: 'rack', operator: 'NotIn', values: numbered(values - 2) };
  const WORST: Readonly<Record<string, NonNullable<Parameters<typeof hostSelector>[0]>>> = {
    'many values': { matchExpressions: [requirement] },
    'many invalid values': { matchExpressions: [{ ...requirement, values: numbered(values - 2, (at) => `-${at}`) }] },
    'many labels': { matchLabels: Object.fromEntries(numbered(values / 3 - 1).map((key) => [key, key])) },
    'many rules': {
      matchExpressions: numbered(values / 3 - 1).map((key) => ({ key, operator: 'Gt', values: ['1'] })),
    },
    'a long key': { matchExpressions: [{ key: 'a.'.repeat(characters / 2 - 8), operator: 'Exists' }] },
    'a long domain': { matchExpressions: [{ key: `${'a'.repeat(characters - 20)}_/a`, operator: 'Exists' }] },
    'a long number': { matchExpressions: [{ key: 'a', operator: 'Lt', values: ['9'.repeat(characters - 3)] }] },
    'values where none may be': { matchExpressions: [{ ...requirement, operator: 'Exists' }] },
  };

  test.each(Object.entries(WORST))('takes milliseconds of its thread at most: %s', (_, selector) => {
    expect(JSON.stringify(hostSelector(selector))).not.toContain('beyond');
    expect(takesLonger(() => hostSelector({ ...selector }), 100)).toBe(false);
  });

  test('is invalid beyond its bound, which its message names', () => {
    const many = { matchExpressions: [{ ...requirement, values: numbered(200_000) }] };
    expect(takesLonger(() => hostSelector({ ...many }), 50)).toBe(false);
    expect(hostSelector(many)).toEqual({
      kind: 'invalid',
      message: 'beyond the bound of the selector: more than 5000 values',
    });
    expect(hostSelector({ matchLabels: { a: 'x'.repeat(70_000) } })).toEqual({
      kind: 'invalid',
      message: 'beyond the bound of the selector: more than 65536 characters',
    });
  });
});

describe('the labels that a Node gets from its host', () => {
  const { characters, values } = BOUNDS.labelPrefixes;
  const labels = Object.fromEntries(numbered(15_000, (at) => `zzzz/${at}`).map((key) => [key, '']));
  const orderOf = (labelSyncPrefixes: string) =>
    labelOrder({
      cluster: { namespace: 'metal', name: 'c', paused: false, deleting: false, infrastructureReady: true },
      metal3Cluster: { namespace: 'metal', name: 'c', cloudProvider: false, paused: false, labelSyncPrefixes },
      host: { ...aHostFact({ name: 'h' }), labels },
      owner: anOwner({ nodeRef: 'n' }),
    });
  const WORST: readonly (readonly [string, string])[] = [
    ['many', numbered(values).join(',')],
    ['a long one', `zzzz,${'a.'.repeat(characters / 2 - 5)}a`],
    ['a long name that is none', `${'a'.repeat(characters - 1)}_`],
    ['commas', ','.repeat(values - 1)],
    ['blanks', ' '.repeat(characters)],
  ];

  test.each(WORST)('take milliseconds at most, whatever prefixes a tenant writes: %s', (_, prefixes) => {
    expect(takesLonger(() => orderOf(prefixes), 100)).toBe(false);
  });

  test('are compared in milliseconds with those of the Node', () => {
    const prefixes = numbered(values, (at) => `p${at}`);
    expect(takesLonger(() => labelPatch(prefixes, labels, labels), 100)).toBe(false);
  });

  test.each([
    [`${characters} characters`, numbered(60_000).join(',')],
    [`${values} values`, numbered(values + 1).join(',')],
    [`${values} values`, ','.repeat(values)],
  ])('are not copied beyond the bound of prefixes, which is named: %s', (limit, prefixes) => {
    expect(takesLonger(() => orderOf(prefixes), 20)).toBe(false);
    const problem = `beyond the bound of the label prefixes: more than ${limit}`;
    expect(orderOf(prefixes)).toEqual({ problem });
    expect(labelPrefixes(prefixes)).toEqual({ problem });
  });
});
