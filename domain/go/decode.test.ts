import { describe, expect, test } from 'vitest';
import { type DecodeTarget, decode } from './decode.ts';

const target: DecodeTarget = {
  name: 'Thing',
  schema: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      count: { type: 'integer' },
      ratio: { type: 'number' },
      since: { type: 'string', format: 'date-time' },
      parts: { type: 'array', items: { type: 'object', properties: { on: { type: 'boolean' } } } },
    },
  },
};
const strictly = (text: string) => decode(text, target, { strict: true });

describe('an object in JSON', () => {
  test('is read with its fields in any case, without those that are null', () => {
    expect(strictly('{"Name":"a","count":null,"since":"2026-01-01T00:00:00Z","parts":[{"on":true},null]}')).toEqual({
      ok: true,
      value: { name: 'a', since: '2026-01-01T00:00:00Z', parts: [{ on: true }, null] },
    });
    expect(strictly('null')).toEqual({ ok: true, value: {} });
  });

  test('may have fields that are not known, unless it is read strictly', () => {
    expect(decode('{"later":1}', target, { strict: false }).ok).toBe(true);
    expect(strictly('{"later":1}')).toEqual({ ok: false, message: 'json: unknown field "later"' });
    expect(strictly('{"parts":[{"constructor":1}]}')).toEqual({
      ok: false,
      message: 'json: unknown field "constructor"',
    });
  });

  test.each([
    ['[]', 'json: cannot unmarshal array into Go value of type v1alpha1.Thing'],
    ['true', 'json: cannot unmarshal bool into Go value of type v1alpha1.Thing'],
    ['{"name":1}', 'json: cannot unmarshal number into Go struct field Thing.name of type string'],
    ['{"count":"1"}', 'json: cannot unmarshal string into Go struct field Thing.count of type int'],
    ['{"count":1.5}', 'json: cannot unmarshal number 1.5 into Go struct field Thing.count of type int'],
    ['{"ratio":{}}', 'json: cannot unmarshal object into Go struct field Thing.ratio of type float64'],
    ['{"parts":{}}', 'json: cannot unmarshal object into Go struct field Thing.parts of type array'],
    ['{"parts":["x"]}', 'json: cannot unmarshal string into Go struct field Thing.parts of type object'],
    ['{"parts":[{"on":1}]}', 'json: cannot unmarshal number into Go struct field Thing.parts.on of type bool'],
    ['{"since":"soon"}', 'parsing time "soon" as "2006-01-02T15:04:05Z07:00": it is not one'],
  ])('of another shape says where: %s', (text, message) => {
    expect(strictly(text)).toEqual({ ok: false, message });
  });
});
