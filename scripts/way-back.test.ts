import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { wayBack } from '../test/nightly/take-over/way-back.ts';

/** What docs/migration.md says of the way back, on its record: made by hand with scripts/record-way-back.ts. */
const ROOT = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const { left, uninstalled, back, on } = wayBack.parse(JSON.parse(read('test/nightly/take-over/way-back.json')));

/** `BareMetalHost status.errorCount`, without group and name. */
const fieldsIn = (changed: object): readonly string[] => [
  ...new Set(Object.keys(changed).map((path) => path.replace(/^(\w+)\S* \S+ /, '$1 '))),
];
/** The first column of the table below this heading. */
const tableBelow = (heading: string): readonly string[] => {
  const [, section = ''] = read('docs/migration.md').split(`\n${heading}\n`);
  return [...(section.split('\n## ')[0] ?? '').matchAll(/^\| `([^`]+)` \|/gm)].map(([, field = '']) => field);
};
const requestsOf = (name: string, kind: string): number =>
  on.requests.filter((request) => request === `${name}: ${kind} 202`).length;

describe('on the way back the operators of Metal3', () => {
  test('find nothing of Temper on objects but what they know', () => {
    expect(fieldsIn(uninstalled.changed)).toEqual(['BareMetalHost metadata.annotations.temper/operations']);
    expect(Object.values(uninstalled.changed).map(([, after]) => after)).toEqual(
      Object.values(uninstalled.changed).map(() => null),
    );
  });

  test('ask Ironic for nothing but the registration that fails', () => {
    expect(new Set(back.requests)).toEqual(new Set(['wrong-password: provision manage 202']));
    expect(Object.keys(back.nodes).filter((path) => !/^default~(?:wrong-password|free-again) /.test(path))).toEqual([]);
  });

  test('leave states, power, disks and addresses as they are', () => {
    expect(back.look).toEqual(left);
  });

  test('change the fields that the page lists, and no others', () => {
    const rows = tableBelow('### What was seen').map(
      (row) => new RegExp(`^${row.replaceAll('.', '\\.').replaceAll('*', '\\w+')}$`),
    );
    const fields = fieldsIn(back.changed);
    expect(rows.length).toBeGreaterThan(0);
    expect(fields.filter((field) => !rows.some((row) => row.test(field)))).toEqual([]);
    expect(rows.filter((row) => !fields.some((field) => row.test(field)))).toEqual([]);
  });
});

describe('then hosts go on', () => {
  test('with the deployment that Temper began, which is not begun again', () => {
    expect(left.hosts['free-again']).toBe('provisioning, OK, on');
    expect(on.look.hosts['free-again']).toBe('provisioned, OK, on, under-way-1MiB.raw');
    expect(requestsOf('free-again', 'provision active')).toBe(0);
  });

  test('with another image, one deployment', () => {
    expect(left.hosts['plain']).toBe('provisioned, OK, on, by-temper-1MiB.raw');
    expect(on.look.hosts['plain']).toBe('provisioned, OK, on, by-operators-1MiB.raw');
    expect(requestsOf('plain', 'provision active')).toBe(1);
  });

  test('with other power, back from detachment, and with right credentials', () => {
    expect(on.look.hosts).toMatchObject({
      off: 'provisioned, OK, on, test-1MiB.raw',
      detached: 'provisioned, OK, on, test-1MiB.raw',
      'wrong-password': 'available, OK, on',
    });
    expect(on.look.servers['detached']).toBe(left.servers['detached']);
  });

  test('by their deletion: what Temper deployed is erased, what others installed is not', () => {
    expect([on.look.hosts['free-on'], on.look.hosts['external']]).toEqual([undefined, undefined]);
    expect(left.servers['free-on']).toMatch(/by-temper-1MiB\.raw$/);
    expect(on.look.servers['free-on']).toMatch(/erasures$/);
    expect(requestsOf('external', 'provision deleted')).toBe(0);
  });

  test('with a machine less and a machine more, which gets the next address', () => {
    const [had, has] = [left.addresses, on.look.addresses];
    expect(Object.values(had)).toEqual(['10', '11', '12', '13'].map((end) => `172.22.200.${end}`));
    // The operators release the address of the former machine at their next look.
    expect(has).toEqual({ ...had, 'demo-workers-3-demo': '172.22.200.14' });
    expect([requestsOf('host-8', 'provision deleted'), requestsOf('host-8', 'provision active')]).toEqual([1, 1]);
  });
});
