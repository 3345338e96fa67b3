import { describe, expect, test } from 'vitest';
import type { StructuralSchema } from '../../api/structural.ts';
import { decode } from './decode.ts';

const schema: StructuralSchema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    count: { type: 'integer' },
    ratio: { type: 'number' },
    since: { type: 'string', format: 'date-time' },
    parts: { type: 'array', items: { type: 'object', properties: { on: { type: 'boolean' } } } },
  },
};
const strictly = (text: string) => decode(text, schema, { strict: true });

describe('an object in JSON', () => {
  test('is read with its fields in any case, without those that are null', () => {
    expect(strictly('{"Name":"a","count":null,"since":"2026-01-01T00:00:00Z","parts":[{"on":true},null]}')).toEqual({
      ok: true,
      value: { name: 'a', since: '2026-01-01T00:00:00Z', parts: [{ on: true }, null] },
    });
    expect(strictly('null')).toEqual({ ok: true, value: {} });
  });

  test('may have fields that are not known, unless it is read strictly', () => {
    expect(decode('{"later":1}', schema, { strict: false }).ok).toBe(true);
    expect(strictly('{"later":1}')).toEqual({ ok: false, message: 'unknown field "later"' });
    expect(strictly('{"parts":[{"constructor":1}]}')).toEqual({
      ok: false,
      message: 'unknown field "constructor"',
    });
  });

  test.each([
    ['hard', 'not valid JSON'],
    ['[]', 'expected object, got array'],
    ['true', 'expected object, got boolean'],
    ['{"name":1}', 'name: expected string, got number'],
    ['{"count":"1"}', 'count: expected integer, got string'],
    ['{"count":1.5}', 'count: expected integer, got number'],
    ['{"ratio":{}}', 'ratio: expected number, got object'],
    ['{"parts":{}}', 'parts: expected array, got object'],
    ['{"parts":["x"]}', 'parts: expected object, got string'],
    ['{"parts":[{"on":1}]}', 'parts.on: expected boolean, got number'],
    ['{"since":"soon"}', 'since: expected a time such as 2006-01-02T15:04:05Z, got "soon"'],
  ])('of another shape says where: %s', (text, message) => {
    expect(strictly(text)).toEqual({ ok: false, message });
  });
});
