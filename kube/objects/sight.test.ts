import { expect, test } from 'vitest';
import { hostInSight } from './sight.ts';

const at = (minute: number): string => `2026-01-01T00:0${minute}:00Z`;

/** Each field that shows since when a host is in its state has a time of its own. */
const aHost = (state: string): object => ({
  metadata: { namespace: 'metal', name: 'host-1', deletionTimestamp: at(1) },
  status: {
    provisioning: { state },
    operationHistory: {
      register: { start: at(2) },
      inspect: { start: at(3), end: at(4) },
      provision: { start: at(5) },
      deprovision: { start: at(6) },
    },
    conditions: [
      { type: 'AvailableForProvisioning', status: 'True', reason: 'Available', message: '', lastTransitionTime: at(7) },
      { type: 'Provisioned', status: 'True', reason: 'Provisioned', message: '', lastTransitionTime: at(8) },
    ],
  },
});

test.each([
  ['registering', at(2)],
  ['inspecting', at(3)],
  ['preparing', at(4)],
  ['provisioning', at(5)],
  ['deprovisioning', at(6)],
  ['available', at(7)],
  ['ready', at(7)],
  ['provisioned', at(8)],
  ['externally provisioned', at(8)],
  ['powering off before delete', at(1)],
  ['deleting', at(1)],
])('a host in the state %s is in it since %s', (state, since) => {
  expect(hostInSight(aHost(state), {}, []).since).toBe(Date.parse(since));
});

test.each(['', 'unmanaged', 'match profile', 'of another operator'])(
  'nothing shows since when a host is in the state %j',
  (state) => {
    expect(hostInSight(aHost(state), {}, []).since).toBeUndefined();
  },
);
