import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CLUSTER_API_PORTS } from '../lab/cluster-api/cluster-api.ts';
import { CONTROL_PLANE_PORTS } from '../lab/control-plane/control-plane.ts';
import { IRONIC_PORTS } from '../lab/ironic/ironic-lab.ts';
import { TEMPER_PORTS } from '../lab/temper.ts';

const textOf = (file: string): string => readFileSync(join(import.meta.dirname, '..', file), 'utf8');

/** The cells of the table that begins with this head, without the marks of code. */
function rowsBelow(file: string, head: string): readonly (readonly string[])[] {
  const lines = textOf(file).split('\n');
  const table = lines.slice(lines.indexOf(head) + 2);
  const end = table.findIndex((line) => !line.startsWith('|'));
  return table.slice(0, end).map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')));
}

describe('tables that the code decides', () => {
  test('docs/lab.md has the ports that the lab prefers', () => {
    const written = rowsBelow('docs/lab.md', '| Port | Who |').flatMap(([, cell = '']) =>
      cell.split(', ').flatMap((part) => {
        const [first = 0, last = first] = part.split(' to ').map(Number);
        return Array.from({ length: last - first + 1 }, (_, index) => first + index);
      }),
    );
    const preferred = [CONTROL_PLANE_PORTS, IRONIC_PORTS, TEMPER_PORTS, CLUSTER_API_PORTS].flatMap((ports): number[] =>
      Object.values(ports),
    );
    const ordered = (ports: readonly number[]): readonly number[] => ports.toSorted((a, b) => a - b);
    expect(ordered(written)).toEqual(ordered(preferred));
  });

  test('docs/clusterctl.md has the variables of the components, with their defaults', () => {
    const asked = textOf('deploy/clusterctl/infrastructure/settings.env').matchAll(/\$\{(\w+):=([^}]*)\}/g);
    const defaults = [...asked].map(([, name, value]) => [name, value === '""' ? 'empty' : value]);
    const written = rowsBelow('docs/clusterctl.md', '| Variable | Default | |').map(([, name, value]) => [name, value]);
    expect(Object.fromEntries(written)).toEqual(Object.fromEntries(defaults));
  });
});
