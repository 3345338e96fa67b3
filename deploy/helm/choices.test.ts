import { describe, expect, test } from 'vitest';
import { choicesOf, type Value } from './choices.ts';
import { conditional, nodeLines } from './template.ts';

const templateOf = (usual: Value, changes: Readonly<Record<string, Value>>): string =>
  conditional(
    choicesOf(usual, new Map(Object.entries(changes))),
    (component) => component,
    (node) => nodeLines(node, (component) => component),
  ).join('\n');

describe('a template', () => {
  test('has what no component changes, as it is', () => {
    expect(templateOf({ a: 1, b: ['x', { c: '{{ d }}' }] }, {})).toBe(
      ['a: 1', 'b:', '  - x', '  - c: "{{ "{{" }} d }}"'].join('\n'),
    );
  });

  test('has what a component adds, under its condition', () => {
    const usual = { spec: { volumes: [{ name: 'a' }] } };
    const more = { spec: { volumes: [{ name: 'a' }, { name: 'b' }], host: true } };
    expect(templateOf(usual, { one: more })).toBe(
      [
        'spec:',
        '  volumes:',
        '    - name: a',
        '{{- if (one) }}',
        '    - name: b',
        '{{- end }}',
        '{{- if (one) }}',
        '  host: true',
        '{{- end }}',
      ].join('\n'),
    );
  });

  test('has what components add alike once, and what they remove unless one of them is chosen', () => {
    const items = (...names: readonly string[]) => names.map((name) => ({ name }));
    expect(
      templateOf({ list: items('a', 'b') }, { one: { list: items('b', 'c') }, two: { list: items('b', 'c') } }),
    ).toBe(
      [
        'list:',
        '{{- if not (or (one) (two)) }}',
        '  - name: a',
        '{{- end }}',
        '  - name: b',
        '{{- if (or (one) (two)) }}',
        '  - name: c',
        '{{- end }}',
      ].join('\n'),
    );
  });

  test('has the value of a component in place of the usual one', () => {
    expect(templateOf({ port: 1 }, { one: { port: 2 }, two: { port: 3 } })).toBe(
      ['{{- if (one) }}', 'port: 2', '{{- else if (two) }}', 'port: 3', '{{- else }}', 'port: 1', '{{- end }}'].join(
        '\n',
      ),
    );
  });

  test('follows an item without a name by its place when as many are there, and else by what it is', () => {
    const ports = (...numbers: readonly number[]) => numbers.map((port) => ({ port }));
    const usual = [{ ports: ports(53) }, { ports: ports(7233, 6385) }];
    expect(templateOf(usual, { one: [{ ports: ports(53) }, { ports: ports(7233) }] })).toBe(
      [
        '- ports:',
        '    - port: 53',
        '-',
        '  ports:',
        '    - port: 7233',
        '{{- if not (one) }}',
        '    - port: 6385',
        '{{- end }}',
      ].join('\n'),
    );
  });

  test('has a whole that only components have, when they make the same of it or not', () => {
    expect(templateOf(undefined, { one: { a: 1 }, two: { a: 1, b: 2 } })).toBe(
      [
        '{{- if (or (one) (two)) }}',
        '{{- if (or (one) (two)) }}',
        'a: 1',
        '{{- end }}',
        '{{- if (two) }}',
        'b: 2',
        '{{- end }}',
        '{{- end }}',
      ].join('\n'),
    );
    expect(templateOf({ a: 1 }, { one: undefined })).toBe(['{{- if not (one) }}', 'a: 1', '{{- end }}'].join('\n'));
  });
});
