import { describe, expect, test } from 'vitest';
import {
  ACTUATOR,
  actionOf,
  aMachineOf,
  answered,
  aRunningMachine,
  DELETED,
  itsHost,
  look,
  shownBy,
  stepOf,
  wordsOf,
} from '../../test/builders/machine-api.ts';
import { authorityOf } from './authority.ts';
import { begin } from './memory.ts';

const paused = (status: 'True' | 'False', api: string): object => ({
  type: 'Paused',
  status,
  reason: status === 'True' ? 'AuthoritativeAPINotMachineAPI' : 'AuthoritativeAPIMachineAPI',
  message: `status.authoritativeAPI is ${api}`,
});

describe('the authoritative API', () => {
  test.each([
    ['', '', undefined],
    ['', 'ClusterAPI', { api: 'ClusterAPI', isUnsaid: true }],
    ['Migrating', 'ClusterAPI', { api: 'Migrating' }],
    ['ClusterAPI', 'MachineAPI', { api: 'ClusterAPI' }],
  ])('is %j in the status, %j in the spec: %j', (status, spec, authority) => {
    expect(authorityOf(status, spec)).toEqual(authority);
  });
});

describe.each(['ClusterAPI', 'Migrating'])('a Machine whose authoritative API is %s', (api) => {
  test.each([
    ['new', aMachineOf({ authority: { api } })],
    ['not held', aMachineOf({ hasFinalizer: false, authority: { api } })],
    ['running', aRunningMachine({ authority: { api } })],
    ['being deleted', aRunningMachine({ authority: { api }, ...DELETED })],
    ['beside OpenShift’s controllers', aRunningMachine({ authority: { api }, settings: ACTUATOR })],
  ])('is left alone: %s', (_, machine) => {
    expect(look(machine)).toBe(`wait: left alone: its authoritative API is ${api}`);
  });

  test('whose host is kept off lets it on, and is not marked', () => {
    const remediation = { isRequested: true, isPoweredOff: false, hasBackup: true, deadline: '', mayReplace: true };
    const host = itsHost({ keptOff: true, poweredOn: false });
    const memory = begin(aRunningMachine({ authority: { api }, host, remediation }));
    expect(actionOf(memory).name).toBe('let host on');
    expect(actionOf(memory).order).not.toHaveProperty('deadline');
    const on = answered(memory, { kind: 'host', host: itsHost({ resourceVersion: '60' }) });
    expect(wordsOf(stepOf(on))).toBe(`wait: left alone: its authoritative API is ${api}`);
  });

  test('shows the condition Paused, and nothing else', () => {
    expect(shownBy(aRunningMachine({ authority: { api } }))).toEqual({ conditions: [paused('True', api)] });
  });

  test('beside OpenShift’s controllers shows nothing: they do', () => {
    expect(shownBy(aRunningMachine({ authority: { api }, settings: ACTUATOR }))).toEqual({});
  });
});

test('a status without it gets that of the spec', () => {
  const authority = { api: 'ClusterAPI', isUnsaid: true } as const;
  expect(shownBy(aMachineOf({ authority }))).toEqual({
    status: { authoritativeAPI: 'ClusterAPI' },
    conditions: [paused('True', 'ClusterAPI')],
  });
});

describe('a Machine whose authoritative API is MachineAPI', () => {
  const authority = { api: 'MachineAPI', isUnsaid: true } as const;

  test('gets a host, and says that it is not paused', () => {
    expect(look(aMachineOf({ authority }))).toBe('associate');
    const { status, conditions } = shownBy(aMachineOf({ authority }));
    expect(status).toMatchObject({ phase: 'Provisioning', authoritativeAPI: 'MachineAPI' });
    expect(conditions).toContainEqual(paused('False', 'MachineAPI'));
  });

  test('does not say it beside OpenShift’s controllers', () => {
    const { status, conditions } = shownBy(aMachineOf({ authority, settings: ACTUATOR }));
    expect(status).not.toHaveProperty('authoritativeAPI');
    expect(conditions).toHaveLength(1);
  });
});
