import { describe, expect, test } from 'vitest';
import { historyValue } from '../steering/history.ts';
import { problemText } from './field-problem.ts';
import { HOST_STEERING, MACHINE_STEERING, type SteeringChecks, steeringProblems } from './steering-annotations.ts';

const problems = (checks: SteeringChecks, after: Record<string, string>, before: Record<string, string> = {}) =>
  steeringProblems(checks, { name: 'node-1', before, after }).map(problemText);
const said = (key: string, value: string, detail: string): string =>
  `metadata.annotations[${key}]: Invalid value: ${JSON.stringify(value)}: ${detail}`;
const JSON_OF_A_MESSAGE = '{"by":"ada","reason":"the fan is loud"}';
const NOT_JSON = 'begins with { and is not JSON: write {"by": "who", "reason": "why"}, or the reason alone';
const OURS = 'is the list that Temper keeps of what people asked for: remove it, or leave it as it is';
const OF_HOSTS = 'is for BareMetalHosts: annotate the host of this machine instead';

describe('an annotation that steers a host', () => {
  test.each([
    ['temper/quarantine', ''],
    ['temper/quarantine', 'the fan is loud'],
    ['temper/abort', JSON_OF_A_MESSAGE],
    ['temper/retry', '{"by":"ada","reason":"r","more":1}'],
    ['temper/force-delete', 'node-1'],
    ['temper/history', historyValue([{ at: '2026-01-01T00:00:00Z', what: 'retry', by: 'ada', reason: 'r' }])],
    ['temper/unknown', '{'],
    ['temper/fixture-fail', 'anything'],
  ])('is accepted: %s=%s', (key, value) => {
    expect(problems(HOST_STEERING, { [key]: value })).toEqual([]);
  });

  test.each([
    ['temper/quarantine', 'two\nlines', 'the reason is not one line of printable characters'],
    ['temper/quarantine', '  ', 'the reason is empty'],
    ['temper/abort', 'r'.repeat(301), 'the reason is longer than 300 characters'],
    ['temper/abort', '{"by":"ada"', NOT_JSON],
    ['temper/retry', '{"by":"ada"}', 'the value.reason is not a text'],
    ['temper/retry', '{"by":"","reason":"r"}', 'the value.by is empty'],
    ['temper/force-delete', 'node-2', 'must be the name of the host, node-1, which confirms its deletion by force'],
    ['temper/history', '[{"at":1}]', OURS],
    ['temper/history', 'x', OURS],
    ['temper/history', '{}', OURS],
  ])('is refused: %s=%s', (key, value, detail) => {
    expect(problems(HOST_STEERING, { [key]: value })).toEqual([said(key, value, detail)]);
  });

  test('is left alone when it was stored before, so that the host can be changed', () => {
    const old = { 'temper/quarantine': 'two\nlines', 'temper/history': 'x' };
    expect(problems(HOST_STEERING, { ...old, 'temper/retry': 'again' }, old)).toEqual([]);
    expect(problems(HOST_STEERING, {}, old)).toEqual([]);
  });
});

describe('an annotation that steers a machine', () => {
  test('asks for a retry, and nothing of its host', () => {
    expect(problems(MACHINE_STEERING, { 'temper/retry': 'again', 'temper/history': '[]' })).toEqual([]);
    expect(problems(MACHINE_STEERING, { 'temper/retry': '{' })).toEqual([said('temper/retry', '{', NOT_JSON)]);
    for (const key of ['temper/quarantine', 'temper/abort', 'temper/force-delete'])
      expect(problems(MACHINE_STEERING, { [key]: 'loud' })).toEqual([said(key, 'loud', OF_HOSTS)]);
  });
});
