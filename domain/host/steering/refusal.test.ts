import { describe, expect, test } from 'vitest';
import { aHost } from '../../../test/builders/host.ts';
import type { Awaited } from '../../steering/awaited.ts';
import { codeOf } from '../../steering/code.ts';
import type { SteeringMessage } from '../../steering/messages.ts';
import { type SteeredHost, steeredHost, steeringRefusal } from './refusal.ts';

const ASKED = { by: 'ada', reason: 'the fan is loud' };
const say = (
  name: Exclude<SteeringMessage['name'], 'power' | 'approve' | 'reject' | 'forceDelete'>,
): SteeringMessage => ({ name, ...ASKED });
const power = (to: 'on' | 'off' | 'reboot'): SteeringMessage => ({ name: 'power', to, ...ASKED });
const CODE = codeOf('uid-1', 'provision', {});
const OTHER = codeOf('uid-2', 'provision', {});
const AWAITS: Awaited = { for: 'approval', code: CODE, does: 'write image a over its disks', of: ['the host'] };
const approve = (code: string): SteeringMessage => ({ name: 'approve', code, ...ASKED });
const reject = (code: string): SteeringMessage => ({ name: 'reject', code, ...ASKED });
const GIVEN = { 'temper/approval-given': `${CODE} ada` };
const REJECTED = { 'temper/approval-rejected': `${CODE} ada` };
const forceDelete = (confirm: string): SteeringMessage => ({ name: 'forceDelete', confirm, ...ASKED });

const host = (change: Partial<SteeredHost> = {}): SteeredHost => ({
  name: 'node-1',
  annotations: {},
  online: true,
  disablePowerOff: false,
  inspectionDisabled: false,
  state: 'provisioned',
  hasError: false,
  ...change,
});
const PAUSED = { 'baremetalhost.metal3.io/paused': 'paused by ada' };
const BY_CLUSTER = { 'baremetalhost.metal3.io/paused': 'metal3.io/capm3' };
const OF_CLUSTER = 'its Cluster is paused: set spec.paused of the Cluster to false';
const QUARANTINED = { 'temper/quarantine': 'why' };
const PARKED = { 'temper/abort': 'why' };
const DELETED = { deletionTimestamp: '2026-01-01T00:00:00Z' };

describe('a message is taken', () => {
  test.each<[string, Partial<SteeredHost>, SteeringMessage]>([
    ['pause, in any state', {}, say('pause')],
    ['resume, of a pause', { annotations: PAUSED }, say('resume')],
    ['resume, after an abort', { annotations: PARKED }, say('resume')],
    ['retry, after a failure', { hasError: true }, say('retry')],
    ['retry, after an abort', { annotations: PARKED }, say('retry')],
    ['abort, of an inspection', { state: 'inspecting' }, say('abort')],
    ['abort, in quarantine', { state: 'provisioning', annotations: QUARANTINED }, say('abort')],
    ['abort, of the cleaning of a host that is being deleted', { state: 'deprovisioning', ...DELETED }, say('abort')],
    ['quarantine, while it is provisioned', { state: 'provisioning' }, say('quarantine')],
    ['release', { annotations: QUARANTINED }, say('release')],
    ['reinspect, of an available host', { state: 'available' }, say('reinspect')],
    ['power off', {}, power('off')],
    ['power on, of an available host', { state: 'available', online: false }, power('on')],
    ['reboot', {}, power('reboot')],
    ['approve, of what it waits for', { awaits: AWAITS }, approve(CODE)],
    ['approve, of what was rejected', { awaits: AWAITS, annotations: REJECTED }, approve(CODE)],
    [
      'approve, of what was rejected before its window',
      { awaits: { ...AWAITS, for: 'window' }, annotations: REJECTED },
      approve(CODE),
    ],
    [
      'reject, of what waits for its window',
      { awaits: { ...AWAITS, for: 'window' }, annotations: GIVEN },
      reject(CODE),
    ],
    ['forceDelete, of a host that is being deleted', DELETED, forceDelete('node-1')],
    ['forceDelete, in quarantine', { ...DELETED, annotations: QUARANTINED }, forceDelete('node-1')],
  ])('%s', (_, change, message) => {
    expect(steeringRefusal(host(change), message)).toBeUndefined();
  });
});

describe('a message is refused, with what would make sense', () => {
  test.each<[SteeringMessage, Partial<SteeredHost>, string]>([
    [say('pause'), { annotations: PAUSED }, 'it is paused already: resume ends that'],
    [say('pause'), { annotations: BY_CLUSTER }, OF_CLUSTER],
    [say('resume'), {}, 'it is neither paused nor parked by an abort: it goes on by itself when something changes'],
    [
      say('resume'),
      { hasError: true },
      'it is neither paused nor parked by an abort: retry tries again what has failed',
    ],
    [
      say('resume'),
      { awaits: AWAITS },
      `it is neither paused nor parked by an abort: it waits for approve or reject of ${CODE}`,
    ],
    [say('resume'), { annotations: QUARANTINED }, 'it is in quarantine: release ends that'],
    [say('resume'), { annotations: BY_CLUSTER }, OF_CLUSTER],
    [say('retry'), {}, 'nothing has failed (it is provisioned): it goes on by itself when something changes'],
    [say('retry'), { hasError: true, annotations: PAUSED }, 'it is paused: resume it first'],
    [say('retry'), { hasError: true, annotations: BY_CLUSTER }, OF_CLUSTER],
    [say('retry'), { hasError: true, annotations: QUARANTINED }, 'it is in quarantine: release it first'],
    [
      say('abort'),
      {},
      'nothing is in flight that could be aborted (it is provisioned): quarantine keeps anything from being begun',
    ],
    [say('abort'), { state: 'inspecting', annotations: PARKED }, 'it is parked already: resume or retry goes on'],
    [
      say('abort'),
      { state: 'inspecting', annotations: { ...PARKED, ...QUARANTINED } },
      'it is parked already: resume ends that',
    ],
    [
      say('abort'),
      { state: 'registering' },
      'a registration cannot be aborted: quarantine keeps anything from being begun',
    ],
    [
      say('abort'),
      { state: 'registering', annotations: QUARANTINED },
      'a registration cannot be aborted, and nothing is begun in quarantine: release ends that',
    ],
    [
      say('abort'),
      { state: 'deleting', ...DELETED },
      'nothing is in flight that could be aborted (it is deleting): forceDelete removes it at once',
    ],
    [say('abort'), { state: 'inspecting', annotations: PAUSED }, 'it is paused: resume it first'],
    [say('quarantine'), { annotations: QUARANTINED }, 'it is in quarantine already: release ends that'],
    [say('release'), {}, 'it is not in quarantine: it goes on by itself when something changes'],
    [say('release'), { annotations: PARKED }, 'it is not in quarantine: resume lets it go on'],
    [say('release'), { annotations: BY_CLUSTER }, `it is not in quarantine, but ${OF_CLUSTER}`],
    [say('reinspect'), {}, 'only an available host is inspected again (it is provisioned): remove its image, or wait'],
    [
      say('reinspect'),
      { state: 'available', inspectionDisabled: true },
      'its inspection is disabled: change spec.inspectionMode, or remove inspect.metal3.io=disabled',
    ],
    [
      say('reinspect'),
      { state: 'available', annotations: { 'inspect.metal3.io': '' } },
      'a new inspection is asked for already: wait until it begins',
    ],
    [say('reinspect'), { state: 'available', ...DELETED }, 'it is being deleted: forceDelete removes it at once'],
    [power('off'), { ...DELETED, annotations: PAUSED }, 'it is being deleted: resume lets that go on'],
    [power('off'), { ...DELETED, annotations: QUARANTINED }, 'it is being deleted: release lets that go on'],
    [power('off'), { ...DELETED, annotations: PARKED }, 'it is being deleted: resume lets that go on'],
    [
      power('off'),
      { ...DELETED, annotations: { 'temper/force-delete': 'node-1' } },
      'it is being deleted: wait until it is gone',
    ],
    [power('on'), {}, 'spec.online is true already: power reboot switches it off and on'],
    [
      power('on'),
      { annotations: { 'reboot.metal3.io/disk-change': '' } },
      'spec.online is true already, but reboot.metal3.io/disk-change keeps it off: kubectl annotate bmh node-1 reboot.metal3.io/disk-change- ends that',
    ],
    [power('on'), { state: 'available' }, 'spec.online is true already: power off is possible'],
    [
      power('on'),
      { state: 'available', machine: 'worker-1' },
      'spec.online is true already: it is switched on by itself',
    ],
    [power('off'), { online: false }, 'spec.online is false already: power on switches it on'],
    [power('off'), { disablePowerOff: true }, 'spec.disablePowerOff forbids it: power reboot is possible'],
    [
      power('off'),
      { machine: 'worker-1' },
      'its Metal3Machine worker-1 switches it on again: kubectl annotate bmh node-1 reboot.metal3.io/KEY= keeps it off until that is removed',
    ],
    [power('reboot'), { online: false }, 'spec.online is false: power on switches it on'],
    [
      power('off'),
      { state: 'available', disablePowerOff: true },
      'spec.disablePowerOff forbids it: set that to false first',
    ],
    [
      power('reboot'),
      { state: 'available' },
      'nothing runs on it, and only a provisioned host is rebooted: power off is possible',
    ],
    [
      power('reboot'),
      { annotations: { 'reboot.metal3.io': '' } },
      'a reboot is asked for already: wait until it is done',
    ],
    [
      power('off'),
      { state: 'inspecting' },
      'its power cannot be switched in this state (it is inspecting): wait until it is available or provisioned',
    ],
    [power('off'), { annotations: QUARANTINED }, 'it is in quarantine: release it first'],
    [power('off'), { annotations: PARKED }, 'it is parked by an abort: resume or retry it first'],
    [
      approve(CODE),
      {},
      'it waits for no approval (it is provisioned): wait until its condition StepHeld says for which',
    ],
    [
      approve(CODE),
      { awaits: { ...AWAITS, for: 'window' } },
      'it waits for its window, which an approval does not open: wait for it, change the window, or reject the step',
    ],
    [
      approve(CODE),
      { awaits: { ...AWAITS, for: 'budget' } },
      'it waits for its turn in a budget, which an approval does not give: wait for it, change the budget, or reject the step',
    ],
    [approve(CODE), { awaits: AWAITS, annotations: GIVEN }, `${CODE} is approved already: reject takes that back`],
    [approve(CODE), { annotations: GIVEN }, `${CODE} is approved already: wait until the step is done`],
    [reject(CODE), { awaits: AWAITS, annotations: REJECTED }, `${CODE} is rejected already: approve takes that back`],
    [reject(CODE), { annotations: REJECTED }, `${CODE} is rejected already: change its spec for another step`],
    [
      approve(OTHER),
      { awaits: AWAITS },
      `it waits for ${CODE} now, to write image a over its disks, and not for ${OTHER}`,
    ],
    [forceDelete('node-1'), {}, 'it is not being deleted: kubectl delete bmh node-1 comes first'],
    [forceDelete('node-2'), DELETED, 'confirm is not the name of the host, node-1'],
    [forceDelete('node-1'), { ...DELETED, annotations: PAUSED }, 'it is paused: resume it first'],
    [
      forceDelete('node-1'),
      { ...DELETED, annotations: { 'temper/force-delete': 'node-1' } },
      'it is being deleted by force already: wait until it is gone',
    ],
    [
      say('pause'),
      { ...DELETED, annotations: { 'clusterctl.cluster.x-k8s.io/delete-for-move': '' } },
      'clusterctl has moved it: steer it in its new cluster',
    ],
  ])('%o of %o', (message, change, why) => {
    expect(steeringRefusal(host(change), message)).toBe(why);
  });
});

test('the memory of a host is judged as its object is', () => {
  const memory = aHost({ state: 'available', seen: { spec: { online: true }, annotations: QUARANTINED } });
  expect(steeredHost(memory)).toEqual(
    host({ state: 'available', annotations: QUARANTINED, deletionTimestamp: undefined } as Partial<SteeredHost>),
  );
});

test('the machine of a host is a Metal3Machine: other consumers leave its power alone', () => {
  const having = (kind: string) => steeredHost(aHost({ seen: { spec: { consumerRef: { kind, name: 'worker-1' } } } }));
  expect(having('Metal3Machine').machine).toBe('worker-1');
  expect(having('Machine').machine).toBeUndefined();
});
