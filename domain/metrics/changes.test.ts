import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PROVISIONING_STATES } from '../../api/baremetalhost/values.ts';
import { aSnapshot } from '../../test/builders/host.ts';
import type { HostRecord } from '../host/memory/host-record.ts';
import { begin } from '../host/memory/take-in.ts';
import { changesCounted } from './changes.ts';

const NEW: HostRecord = begin(aSnapshot()).status;

const inState = (state: HostRecord['provisioning']['state'], change: Partial<HostRecord> = {}): HostRecord => ({
  ...NEW,
  ...change,
  provisioning: { ...NEW.provisioning, state },
});
const ran = (name: keyof HostRecord['operationHistory'], start: string | null, end: string | null): HostRecord => ({
  ...NEW,
  operationHistory: { ...NEW.operationHistory, [name]: { start, end } },
});
const at = (time: string): string => `2026-01-01T${time}Z`;

/** Name, label values, and the value if there is one. */
const counted = (before: HostRecord, after: HostRecord): readonly string[] =>
  changesCounted({ namespace: 'metal', name: 'node-1', before, after }).map(({ name, labels, value }) =>
    [name.replace(/^metal3_/, ''), ...Object.values(labels), ...(value === undefined ? [] : [value])].join(' '),
  );

describe('a change of the status', () => {
  test('from one provisioning state to another is counted by both', () => {
    expect(counted(inState('registering'), inState('inspecting'))).toEqual([
      'provisioning_state_change_total registering inspecting',
    ]);
  });

  test('of a host without a BMC is counted as unmanaged, once', () => {
    const unmanaged = inState('unmanaged', { operationalStatus: 'discovered' });
    expect(counted(NEW, unmanaged)).toEqual(['provisioning_state_change_total  unmanaged', 'host_unmanaged_total']);
    expect(counted(unmanaged, unmanaged)).toEqual([]);
  });

  test.each([
    ['register', 'register_duration_seconds'],
    ['inspect', 'inspect_duration_seconds'],
    ['provision', 'provision_duration_seconds'],
    ['deprovision', 'deprovision_duration_seconds'],
  ] as const)('that ends %s tells how long it took, in seconds', (operation, metric) => {
    const [running, ended] = [ran(operation, at('10:00:00'), null), ran(operation, at('10:00:00'), at('10:02:30'))];
    expect(counted(running, ended)).toEqual([`operation_${metric} metal node-1 150`]);
    expect(counted(ended, ended)).toEqual([]);
  });

  test('counts an operation that began and ended between two statuses', () => {
    const [first, second] = [
      ran('inspect', at('10:00:00'), at('10:01:00')),
      ran('inspect', at('11:00:00'), at('11:00:30')),
    ];
    expect(counted(first, second)).toEqual(['operation_inspect_duration_seconds metal node-1 30']);
  });

  test('that begins a registration counts it, also a later one', () => {
    const [first, again] = [ran('register', at('10:00:00'), null), ran('register', at('12:00:00'), null)];
    expect(counted(NEW, first)).toEqual(['host_registration_required_total']);
    expect(counted(first, again)).toEqual(['host_registration_required_total']);
  });

  test('that tries other credentials counts them', () => {
    const tried = (name: string, credentialsVersion: string): HostRecord => ({
      ...NEW,
      triedCredentials: { credentials: { name, namespace: 'metal' }, credentialsVersion },
    });
    expect(counted(NEW, tried('bmc', '7'))).toEqual(['credentials_updated_total']);
    expect(counted(tried('bmc', '7'), tried('bmc', '8'))).toEqual(['credentials_updated_total']);
    expect(counted(tried('bmc', '7'), tried('other', '7'))).toEqual(['credentials_updated_total']);
    expect(counted(tried('bmc', '7'), tried('bmc', '7'))).toEqual([]);
    expect(counted(tried('bmc', '7'), NEW)).toEqual([]);
  });

  test.each([
    ['preparing', 'provisioning'],
    ['available', 'provisioning'],
    ['provisioning', 'provisioning'],
    ['provisioned', 'deprovisioning'],
    ['externally provisioned', 'deprovisioning'],
    ['deprovisioning', 'deprovisioning'],
  ] as const)('that delays a host in %s counts it as delayed before %s', (state, before) => {
    const [ready, delayed] = [inState(state), inState(state, { operationalStatus: 'delayed' })];
    expect(counted(ready, delayed)).toEqual([`delayed__${before}_total metal node-1`]);
    expect(counted(delayed, delayed)).toEqual([]);
    expect(counted(delayed, ready)).toEqual([]);
  });

  test('that deletes a host although deprovisioning kept failing is counted as such', () => {
    const gaveUp = inState('powering off before delete', { errorCount: 4 });
    expect(counted(inState('deprovisioning', { errorCount: 4 }), gaveUp)).toContain(
      'delete_without_deprovisioning_total',
    );
    expect(counted(inState('deprovisioning'), inState('powering off before delete'))).not.toContain(
      'delete_without_deprovisioning_total',
    );
    expect(counted(inState('deprovisioning', { errorCount: 4 }), inState('available'))).not.toContain(
      'delete_without_deprovisioning_total',
    );
  });

  test('that is none counts nothing, whatever the status', () => {
    const time = fc.option(fc.constantFrom(at('10:00:00'), at('11:00:00')), { nil: null });
    const operation = fc.record({ start: time, end: time });
    const status = fc.record({
      state: fc.constantFrom(...PROVISIONING_STATES),
      operationalStatus: fc.constantFrom('', 'OK', 'delayed', 'error', 'detached'),
      errorCount: fc.nat(5),
      register: operation,
      inspect: operation,
    });
    fc.assert(
      fc.property(status, ({ state, operationalStatus, errorCount, register, inspect }) => {
        const any = inState(state, {
          operationalStatus: operationalStatus as HostRecord['operationalStatus'],
          errorCount,
          operationHistory: { ...NEW.operationHistory, register, inspect },
        });
        expect(counted(any, any)).toEqual([]);
      }),
    );
  });

  test('from an unreadable status counts nothing', () => {
    expect(changesCounted({ namespace: 'metal', name: 'x', before: undefined, after: inState('provisioned') })).toEqual(
      [],
    );
  });
});
