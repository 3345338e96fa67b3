import { describe, expect, test } from 'vitest';
import { AT, aMachineOnHost, aMachineSnapshot, anOwnHost, begin } from '../../../test/builders/machine.ts';
import type { SteeringMessage } from '../../steering/messages.ts';
import { isForHost } from './any-machine.ts';
import { knownOfMachine, machineRefusal, type SteeredMachine } from './refusal.ts';

const ASKED = { by: 'ada', reason: 'the fan is loud' };
const say = (
  name: Exclude<SteeringMessage['name'], 'power' | 'approve' | 'reject' | 'forceDelete'>,
): SteeringMessage => ({ name, ...ASKED });
const STEERED = ['pause', 'resume', 'retry', 'abort', 'quarantine', 'release', 'reinspect'] as const;
const OFF: SteeringMessage = { name: 'power', to: 'off', ...ASKED };
const PAUSED = { 'cluster.x-k8s.io/paused': 'paused by ada' };

const machine = (change: Partial<SteeredMachine> = {}): SteeredMachine => ({
  name: 'm-1',
  annotations: {},
  hasFailed: false,
  host: 'host-1',
  hostAwaitsRetry: false,
  ...change,
});

describe('a message to a machine is taken', () => {
  test.each<[string, Partial<SteeredMachine>, SteeringMessage]>([
    ['pause', { host: '' }, say('pause')],
    ['resume, of a pause', { annotations: PAUSED }, say('resume')],
    ['resume, of a pause in a paused Cluster', { annotations: PAUSED, pausedCluster: 'c' }, say('resume')],
    ['retry, after a failure', { hasFailed: true }, say('retry')],
    ['retry, of its host', { hostAwaitsRetry: true }, say('retry')],
    ['what is asked of its host, which judges it', {}, OFF],
    ['what is asked of its host, also while it is paused', { annotations: PAUSED }, say('quarantine')],
    ['what is asked of its host, also while it is deleted', { deletionTimestamp: '2026' }, say('abort')],
  ])('%s', (_, change, message) => {
    expect(machineRefusal(machine(change), message)).toBeUndefined();
  });
});

describe('a message to a machine is refused, with what would make sense', () => {
  const BY_CLUSTER = 'its Cluster c is paused: set spec.paused of the Cluster to false';
  test.each<[SteeringMessage, Partial<SteeredMachine>, string]>([
    [say('pause'), { annotations: PAUSED }, 'it is paused already: resume ends that'],
    [say('resume'), {}, 'it is not paused: it goes on by itself when something changes'],
    [say('resume'), { hasFailed: true }, 'it is not paused: retry tries again what has failed'],
    [say('resume'), { hostAwaitsRetry: true }, 'it is not paused: retry tries again what has failed'],
    [say('resume'), { pausedCluster: 'c' }, BY_CLUSTER],
    [say('retry'), { hasFailed: true, annotations: PAUSED }, 'it is paused: resume it first'],
    [say('retry'), { hasFailed: true, pausedCluster: 'c' }, BY_CLUSTER],
    [say('retry'), {}, 'nothing has failed: it goes on by itself when something changes'],
    [OFF, { host: '' }, 'it has no host yet, so power cannot be forwarded: it waits for a host'],
    [
      { name: 'forceDelete', confirm: 'm-1', ...ASKED },
      {},
      'a machine is not deleted by force: delete its host by force, then the machine goes',
    ],
    [
      say('pause'),
      { deletionTimestamp: '2026', annotations: { 'clusterctl.cluster.x-k8s.io/delete-for-move': '' } },
      'clusterctl has moved it: steer it in its new cluster',
    ],
  ])('%o of %o', (message, change, why) => {
    expect(machineRefusal(machine(change), message)).toBe(why);
  });
});

test('each refusal names what makes sense instead, and a message that it names is taken', () => {
  const any = [true, false];
  const machines = any.flatMap((isPaused) =>
    any.flatMap((hasFailed) =>
      any.flatMap((hostAwaitsRetry) =>
        [undefined, 'c'].flatMap((pausedCluster) =>
          ['', 'host-1'].map((host) =>
            machine({
              ...(isPaused && { annotations: PAUSED }),
              ...(pausedCluster !== undefined && { pausedCluster }),
              hasFailed,
              hostAwaitsRetry,
              host,
            }),
          ),
        ),
      ),
    ),
  );
  const messages = [...STEERED.map(say), OFF];
  const refusals = machines.flatMap((each) =>
    messages.flatMap((message) => {
      const why = machineRefusal(each, message);
      return why === undefined ? [] : [{ each, why }];
    }),
  );
  expect(refusals.length).toBeGreaterThan(50);
  expect(
    refusals.filter(({ each, why }) => {
      const instead = why.slice(why.indexOf(': '));
      const named = STEERED.filter((name) => new RegExp(String.raw`\b${name}\b`).test(instead));
      if (named.length === 0) return !/\b(?:set|by itself|waits)\b/.test(instead);
      return named.some((name) => machineRefusal(each, say(name)) !== undefined);
    }),
  ).toEqual([]);
});

test('the run of a machine knows what failed, its host, and whether its Cluster is paused', () => {
  expect(knownOfMachine(begin(aMachineSnapshot()))).toEqual({ hasFailed: false, host: '', hostAwaitsRetry: false });
  const trouble = { action: 'find node', message: 'no', count: 1, until: AT } as const;
  expect(knownOfMachine({ ...begin(aMachineOnHost()), trouble })).toMatchObject({ hasFailed: true, host: 'host-1' });
  const noHost = { reason: 'none matches', news: { bridge: 'a', count: 1 } };
  expect(knownOfMachine({ ...begin(aMachineSnapshot()), noHost })).toMatchObject({ hasFailed: true });
  const cluster = { name: 'c', namespace: 'metal', paused: true, deleting: false, infrastructureReady: true };
  const host = anOwnHost({ errorMessage: 'no agent' });
  expect(knownOfMachine(begin(aMachineOnHost({ host, cluster })))).toEqual({
    hasFailed: false,
    pausedCluster: 'c',
    host: 'host-1',
    hostAwaitsRetry: true,
  });
  const parked = anOwnHost({ heldBack: 'parked' });
  expect(knownOfMachine(begin(aMachineOnHost({ host: parked })))).toMatchObject({ hostAwaitsRetry: true });
});

test('a retry is sent on to the host only when the machine itself has not failed', () => {
  const known = { hasFailed: false, host: 'host-1', hostAwaitsRetry: true };
  expect(isForHost(say('retry'), known)).toBe(true);
  expect(isForHost(say('retry'), { ...known, hasFailed: true })).toBe(false);
  expect(isForHost(say('pause'), known)).toBe(false);
  expect(isForHost(OFF, { ...known, hostAwaitsRetry: false })).toBe(true);
});
