import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { boundedText, integer, time } from './meta/scalars.ts';
import { StructuralSchemaError, structural } from './structural.ts';

describe('a structural schema', () => {
  test('says of each field what its zod schema says', () => {
    const schema = z
      .object({
        name: boundedText({ minLength: 1, maxLength: 64, pattern: '^[a-z]+$' }).describe('Its name.'),
        mode: z.enum(['a', 'b']).default('a'),
        count: integer({ minimum: 0, maximum: 9, format: 'int32' }).optional(),
        since: time().nullable().optional(),
        labels: z.record(z.string(), z.string()).optional(),
      })
      .describe('A thing.');

    expect(structural(schema)).toEqual({
      description: 'A thing.',
      type: 'object',
      required: ['name'],
      properties: {
        name: { description: 'Its name.', type: 'string', minLength: 1, maxLength: 64, pattern: '^[a-z]+$' },
        mode: { type: 'string', enum: ['a', 'b'], default: 'a' },
        count: { type: 'integer', format: 'int32', minimum: 0, maximum: 9 },
        since: { type: 'string', format: 'date-time', nullable: true },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
      },
    });
  });

  test('has no bounds that only JavaScript needs', () => {
    expect(structural(z.int())).toEqual({ type: 'integer' });
  });

  test('says nothing of unknown fields, which are left out anyway', () => {
    expect(structural(z.strictObject({ a: z.string() }))).toEqual(structural(z.object({ a: z.string() })));
  });

  test('requires a field that has a default where its schema is marked so', () => {
    const schema = z.object({ count: integer().default(0).meta({ 'x-required': true }) });

    expect(structural(schema)).toEqual({
      type: 'object',
      required: ['count'],
      properties: { count: { type: 'integer', default: 0 } },
    });
  });

  test('keeps what is meant for Kubernetes', () => {
    const rule = { rule: 'self.a != self.b', message: 'a and b differ' };
    const schema = z.object({ a: z.string(), b: z.string() }).meta({ 'x-kubernetes-validations': [rule] });

    expect(structural(schema)).toMatchObject({ 'x-kubernetes-validations': [rule] });
  });

  test('takes a field without a type that is said to be a number or a text', () => {
    const port = z.unknown().meta({ 'x-kubernetes-int-or-string': true });

    expect(structural(z.object({ port }))).toMatchObject({
      properties: { port: { 'x-kubernetes-int-or-string': true } },
    });
  });
});

describe('what the API server would refuse', () => {
  const keyed = (item: z.ZodType): z.ZodType =>
    z.array(item).meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['id'] });

  test.each([
    ['a choice of types', z.union([z.string(), z.boolean()]), 'has no type'],
    [
      'a choice inside an object',
      z
        .object({ a: z.string() })
        .and(z.object({ b: z.string() }))
        .meta({ type: 'object' }),
      'refuses type inside allOf',
    ],
    ['a field of any type', z.unknown(), 'has no type'],
    ['a list of fixed places', z.tuple([z.string(), z.number()]), 'has no type'],
    ['free fields beside named ones', z.looseObject({ a: z.string() }), 'named and free'],
    ['unique items', z.array(z.string()).meta({ uniqueItems: true }), 'refuses the keyword uniqueItems'],
    ['a keyed list without keys', z.array(z.object({})).meta({ 'x-kubernetes-list-type': 'map' }), 'without keys'],
    ['a keyed list of items that lack the key', keyed(z.object({ a: z.string() })), 'has no property id'],
    [
      'a key that may be left out',
      keyed(z.object({ id: z.string().optional() })),
      'neither required nor has a default',
    ],
    ['a default of another type', z.string().meta({ default: 1 }), 'is not a value of the field'],
    ['a default that is not allowed', z.enum(['a']).meta({ default: 'b' }), 'is not a value of the field'],
  ])('is reported as %s, with the path', (_name, field, problem) => {
    const convert = (): unknown => structural(z.object({ list: z.array(z.object({ field })) }), 'Kind.spec');

    expect(convert).toThrow(StructuralSchemaError);
    expect(convert).toThrow('Kind.spec.list[].field');
    expect(convert).toThrow(problem);
  });

  test('is reported for a shape that refers to itself', () => {
    const node: z.ZodType = z.object({
      get inner() {
        return node.optional();
      },
    });

    expect(() => structural(node)).toThrow(StructuralSchemaError);
  });
});
