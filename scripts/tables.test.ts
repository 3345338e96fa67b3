import { readdirSync, readFileSync } from 'node:fs';
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

const HISTORIES = 'test/replay/histories/hostWorkflow';
const LIFE = join(
  HISTORIES,
  readdirSync(join(import.meta.dirname, '..', HISTORIES)).find((name) => name.includes('-life-')) ?? '',
);
interface RecordedEvent {
  readonly eventType: string;
  readonly activityTaskScheduledEventAttributes?: { readonly activityType: { readonly name: string } };
}
/** How many rows of each kind the Web UI has for a recorded life: an activity by its name, all else by its sort. */
function rowsOfLife(): Readonly<Record<string, number>> {
  const { history } = JSON.parse(textOf(LIFE)) as { readonly history: { readonly events: readonly RecordedEvent[] } };
  const counts: Record<string, number> = {};
  for (const { eventType, activityTaskScheduledEventAttributes: activity } of history.events) {
    const sort = activity?.activityType.name ?? SORTS.find(([pattern]) => pattern.test(eventType))?.[1];
    if (sort !== undefined) counts[sort] = (counts[sort] ?? 0) + 1;
  }
  return counts;
}
const SORTS = [
  [/START_CHILD_WORKFLOW_EXECUTION_INITIATED$/, 'operations'],
  [/WORKFLOW_EXECUTION_SIGNALED$/, 'observed, nodeObserved'],
  [/TIMER_STARTED$/, 'timers'],
] as const;

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

  test('docs/web-ui.md has the rows of a recorded life, fewer than half of which show the status', () => {
    const counts = rowsOfLife();
    const written = rowsBelow('docs/web-ui.md', '| Row | Times | Type in *Filter* |').flatMap(
      ([, row = '', times = '']) => {
        const [names = ''] = row.split(/ •|:/);
        const isEach = times.endsWith(' each');
        return (isEach ? names.split(', ') : [names]).map((name) => [name, Number.parseInt(times, 10)] as const);
      },
    );
    expect(Object.fromEntries(written)).toEqual(counts);
    const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
    expect(counts['publish']).toBeLessThan(all / 2);
  });
});
