import { describe, expect, test } from 'vitest';
import type { StructuralSchema } from '../../api/structural.ts';
import { problemText } from './field-problem.ts';
import { shapeProblems } from './shape.ts';

const schema: StructuralSchema = {
  type: 'object',
  required: ['template', 'title'],
  properties: {
    template: { type: 'object', required: ['spec'], properties: { spec: { type: 'object' } } },
    title: { type: 'string' },
    links: { type: 'array', items: { type: 'object', required: ['mac'], properties: { mac: { type: 'object' } } } },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    count: { type: 'integer' },
    time: { type: 'string', nullable: true },
    anything: { 'x-kubernetes-preserve-unknown-fields': true },
    anyValue: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
};
const said = (value: unknown): readonly string[] => shapeProblems(value, schema, 'spec').map(problemText);
const whole = { template: { spec: {} } };

describe('the shape of an object', () => {
  test('is right when types are, whatever the values and whichever fields nobody knows', () => {
    const more = {
      links: [{ mac: {} }],
      labels: { a: '' },
      count: -1,
      time: null,
      anything: [null],
      anyValue: 5,
      unknown: 5,
    };
    expect(said({ ...whole, ...more })).toEqual([]);
  });

  test.each<[unknown, readonly string[]]>([
    [null, ['spec: Invalid value: "null": must be of type object']],
    [[], ['spec: Invalid value: "array": must be of type object']],
    [{}, ['spec.template: Required value: must be an object']],
    [{ template: {} }, ['spec.template.spec: Required value: must be an object']],
    [{ template: { spec: 'x' } }, ['spec.template.spec: Invalid value: "string": must be of type object']],
    [{ ...whole, links: [{ mac: {} }, {}] }, ['spec.links[1].mac: Required value: must be an object']],
    [{ ...whole, labels: { a: 1 } }, ['spec.labels.a: Invalid value: "number": must be of type string']],
    [{ ...whole, count: 0.5 }, ['spec.count: Invalid value: "number": must be of type integer']],
  ])('of %j is wrong, with the field that is', (value, problems) => {
    expect(said(value)).toEqual(problems);
  });

  test('names ten problems at most', () => {
    expect(said({ ...whole, links: Array.from({ length: 99 }, () => ({})) })).toHaveLength(10);
  });
});
