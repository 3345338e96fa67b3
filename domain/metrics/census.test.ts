import { expect, test } from 'vitest';
import { census, withGone } from './census.ts';
import type { CountedHost } from './counted-host.ts';

const NOW = Date.parse('2026-01-01T01:00:00Z');
type CountedStatus = NonNullable<CountedHost['status']>;
const hosts = (statuses: readonly CountedStatus[]): readonly CountedHost[] => statuses.map((status) => ({ status }));
const told = (statuses: readonly CountedStatus[]): readonly string[] =>
  census(hosts(statuses), NOW).map(({ name, labels, value }) => [name, ...Object.values(labels), value].join(' '));

const available: CountedStatus = { operationalStatus: 'OK', provisioning: { state: 'available' } };
const failing: CountedStatus = {
  operationalStatus: 'error',
  errorType: 'provisioning error',
  provisioning: { state: 'provisioning' },
  operationHistory: { provision: { start: '2026-01-01T00:00:00Z', end: null } },
};

test('hosts are counted by state, by error, and by the operation that runs longest', () => {
  expect(told([available, available, failing])).toEqual([
    'temper_hosts available OK 2',
    'temper_hosts provisioning error 1',
    'temper_hosts_failing provisioning error 1',
    'temper_hosts_waiting hardware 0',
    'temper_hosts_waiting person 0',
    'temper_hosts_waiting retry 1',
    'temper_hosts_waiting window 0',
    'temper_hosts_waiting budget 0',
    'temper_hosts_waiting slot 0',
    'temper_operation_longest_seconds register 0',
    'temper_operation_longest_seconds inspect 0',
    'temper_operation_longest_seconds provision 3600',
    'temper_operation_longest_seconds deprovision 0',
  ]);
});

test('hosts that are shown as stuck are counted by state and by the diagnosis that is the reason', () => {
  const stuck = (reason: string): CountedStatus => ({
    provisioning: { state: 'inspecting' },
    conditions: [{ type: 'Stuck', reason }],
  });
  const ready: CountedStatus = { ...available, conditions: [{ type: 'Ready' }] };
  const all = told([stuck('IronicDown'), stuck('IronicDown'), stuck('LongerThanUsual'), stuck('TakesLong'), ready]);
  expect(all.filter((line) => line.startsWith('temper_stuck_hosts'))).toEqual([
    'temper_stuck_hosts inspecting ironic-down 2',
    'temper_stuck_hosts inspecting longer-than-usual 1',
    'temper_stuck_hosts inspecting unknown 1',
  ]);
});

test('hosts with something on their nodes that Temper has not deployed are counted by namespace', () => {
  const status = { ...available, conditions: [{ type: 'AvailableForProvisioning', reason: 'NodeOccupied' }] };
  const all = [
    { status, metadata: { namespace: 'metal' } },
    { status: available, metadata: { namespace: 'metal' } },
  ];
  expect(census(all, NOW)).toContainEqual({
    name: 'temper_occupied_hosts',
    labels: { namespace: 'metal' },
    value: 1,
  });
  expect(census(all.slice(1), NOW).map(({ name }) => name)).not.toContain('temper_occupied_hosts');
});

const held = (reason: string): CountedStatus => ({ ...available, conditions: [{ type: 'StepHeld', reason }] });
const heldIn = (statuses: readonly CountedStatus[]): readonly string[] =>
  told(statuses).filter((line) => line.startsWith('temper_held_hosts'));

test('hosts whose step is held are counted by what it waits for', () => {
  const all = [held('ApprovalNeeded'), held('ApprovalNeeded'), held('WindowClosed'), available];
  expect(heldIn(all)).toEqual(['temper_held_hosts ApprovalNeeded 2', 'temper_held_hosts WindowClosed 1']);
  expect(heldIn([available])).toEqual([]);
});

const saying = (message: string): CountedStatus => ({ ...failing, conditions: [{ type: 'Ready', message }] });
const thatIs = (type: string, status: string): CountedStatus => ({ ...failing, conditions: [{ type, status }] });

test.each<[string, CountedHost]>([
  ['hardware', { status: { operationalStatus: 'OK', provisioning: { state: 'inspecting' } } }],
  ['slot', { status: { operationalStatus: 'delayed', provisioning: { state: 'inspecting' } } }],
  ['retry', { status: saying('provisioning error (failure 1): x; next try at 2026-01-01T01:05:00Z') }],
  ['person', { status: { ...failing, conditions: [{ type: 'Reconciling', reason: 'WaitingForSecret' }] } }],
  ['person', { status: thatIs('Stalled', 'True') }],
  ['retry', { status: thatIs('Stalled', 'False') }],
  ['person', { status: thatIs('WorkflowPaused', 'True') }],
  ['person', { status: { ...available, conditions: [{ type: 'WorkflowPaused', status: 'True' }] } }],
  ['person', { status: { operationalStatus: 'discovered', provisioning: { state: 'unmanaged' } } }],
  ['person', { status: held('ApprovalNeeded') }],
  ['person', { status: held('Rejected') }],
  ['person', { status: held('WindowNeverOpen') }],
  ['person', { status: held('BudgetUnreadable') }],
  ['person', { status: held('ReasonOfAnotherVersion') }],
  ['window', { status: held('WindowClosed') }],
  ['budget', { status: held('BudgetExhausted') }],
  ['person', { status: failing, metadata: { annotations: { 'baremetalhost.metal3.io/paused': '' } } }],
  ['person', { status: available, metadata: { annotations: { 'temper/quarantine': 'x' } } }],
  ['person', { status: available, metadata: { annotations: { 'temper/abort': 'x' } } }],
])('a host that waits for %s is counted as that: %j', (what, host) => {
  const waiting = census([host, { status: available }], NOW).filter(({ name }) => name === 'temper_hosts_waiting');
  const counted = waiting.filter(({ value }) => value !== 0);
  expect(counted).toEqual([{ name: 'temper_hosts_waiting', labels: { for: what }, value: 1 }]);
});

test('an operation that has ended does not run', () => {
  const ended = { provision: { start: '2026-01-01T00:00:00Z', end: '2026-01-01T00:30:00Z' } };
  expect(told([{ ...available, operationHistory: ended }])).toContain('temper_operation_longest_seconds provision 0');
});

test('a state without hosts is 0 once it was counted', () => {
  const values = withGone(census([], NOW), census(hosts([available]), NOW)).filter(
    ({ name }) => name === 'temper_hosts',
  );
  expect(values).toEqual([{ name: 'temper_hosts', labels: { state: 'available', status: 'OK' }, value: 0 }]);
});

test('a host without a status is counted, and of two operations the one that began first', () => {
  const began = (start: string): CountedStatus => ({ operationHistory: { inspect: { start } } });
  const counted = told([{}, failing, failing, began('2026-01-01T00:30:00Z'), began('2026-01-01T00:45:00Z')]);
  expect(counted).toContain('temper_hosts   3');
  expect(counted).toContain('temper_hosts_failing provisioning error 2');
  expect(counted).toContain('temper_operation_longest_seconds inspect 1800');
});
