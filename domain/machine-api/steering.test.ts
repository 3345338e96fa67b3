import { describe, expect, test } from 'vitest';
import {
  aMachineOf,
  aRunningMachine,
  CONSUMER,
  ended,
  itsHost,
  stepOf,
  wordsOf,
} from '../../test/builders/machine-api.ts';
import type { SteeringMessage } from '../steering/messages.ts';
import { withSteered } from '../steering/steered.ts';
import { machineApiEntity } from './entity.ts';
import type { MachineApiMemory } from './memory.ts';
import type { MachineApiSnapshot } from './snapshot.ts';
import { knownOfMachineApi, type SteeredMachineApi, steerableMachineApi } from './steering.ts';

const { absorb, begin, messagesOf, show } = machineApiEntity;
const { change, refusal } = steerableMachineApi;
const ASKED = { by: 'ada', reason: 'the fan is loud' };
const say = (
  name: Exclude<SteeringMessage['name'], 'power' | 'approve' | 'reject' | 'forceDelete'>,
): SteeringMessage => ({ name, ...ASKED });
const OFF: SteeringMessage = { name: 'power', to: 'off', ...ASKED };
const machine = (facts: Partial<SteeredMachineApi> = {}): SteeredMachineApi => ({
  annotations: {},
  authority: undefined,
  hasFailed: false,
  host: 'host-1',
  hostAwaitsRetry: false,
  ...facts,
});
const MOVED = { authority: { api: 'ClusterAPI' } };

test.each<[string, Partial<SteeredMachineApi>, SteeringMessage]>([
  ['a retry, after a failure', { hasFailed: true }, say('retry')],
  ['a retry, of its host', { hostAwaitsRetry: true }, say('retry')],
  ['what is asked of its host, which judges it', {}, OFF],
  ['what is asked of its host, while the Machine API is in charge', { authority: { api: 'MachineAPI' } }, say('abort')],
])('a Machine takes %s', (_, facts, message) => {
  expect(refusal(machine(facts), message)).toBeUndefined();
});

const LEFT = 'it is left alone, because its authoritative API is ClusterAPI: steer its host itself';
test.each<[SteeringMessage, Partial<SteeredMachineApi>, string]>([
  [say('pause'), {}, 'Machines of the Machine API have no pause: pause its host host-1'],
  [say('resume'), {}, 'Machines of the Machine API have no pause: resume its host host-1'],
  [
    say('pause'),
    { host: '' },
    'Machines of the Machine API have no pause, and this one has no host that could be paused',
  ],
  [
    say('resume'),
    { host: '' },
    'Machines of the Machine API have no pause, and this one has no host that could be resumed',
  ],
  [say('retry'), {}, 'nothing has failed: it goes on by itself when something changes'],
  [
    say('retry'),
    { annotations: { 'cluster.x-k8s.io/paused': '' } },
    'nothing has failed: it goes on by itself when something changes',
  ],
  [say('abort'), { host: '' }, 'it has no host yet, so abort cannot be forwarded: it waits for a host'],
  [
    say('retry'),
    { problem: 'it is lost; delete the Machine' },
    'a retry does not help: it is lost; delete the Machine',
  ],
  [
    say('abort'),
    { host: '', problem: 'it is lost; delete the Machine' },
    'it has no host, so abort cannot be forwarded: it is lost; delete the Machine',
  ],
  [say('quarantine'), MOVED, LEFT],
  [say('retry'), { ...MOVED, hasFailed: true }, LEFT],
])('a Machine refuses, and says what to do instead: %o of %o', (message, facts, why) => {
  expect(refusal(machine(facts), message)).toBe(why);
});

test('only a retry that is not for its host changes the Machine', () => {
  expect(change(machine({ hasFailed: true }), say('retry'))).toEqual({
    annotations: { 'temper/retry': JSON.stringify(ASKED) },
  });
  expect(change(machine({ hostAwaitsRetry: true }), say('retry'))).toEqual({ annotations: {} });
  expect(change(machine(), OFF)).toEqual({ annotations: {} });
});

test('its run knows what failed, and its host, unless it is left alone', () => {
  const calm = { hasFailed: false, host: '', hostAwaitsRetry: false };
  expect(knownOfMachineApi(begin(aMachineOf()))).toEqual(calm);
  const noHost = { reason: 'none matches', news: { bridge: 'b', count: 0 } };
  expect(knownOfMachineApi({ ...begin(aMachineOf()), noHost })).toEqual({ ...calm, hasFailed: true });
  expect(knownOfMachineApi(begin(aRunningMachine({ host: itsHost({ errorMessage: 'no agent' }) })))).toEqual({
    hasFailed: false,
    host: 'host-1',
    hostAwaitsRetry: true,
  });
  expect(knownOfMachineApi(begin(aRunningMachine({ host: itsHost({ heldBack: 'parked' }), ...MOVED })))).toEqual(calm);
});

test('its run does not know a host that it only names: the consumer may be another machine', () => {
  const named = itsHost({ consumer: { ...CONSUMER, name: 'worker-9' }, errorMessage: 'no agent' });
  expect(knownOfMachineApi(begin(aRunningMachine({ host: named })))).toMatchObject({
    host: '',
    hostAwaitsRetry: false,
  });
  const free = itsHost({ consumer: undefined, errorMessage: 'no agent' });
  expect(knownOfMachineApi(begin(aRunningMachine({ host: free })))).toMatchObject({ host: '', hostAwaitsRetry: false });
});

describe('a Machine that stands still until a person helps says what helps', () => {
  const INVALID = { desired: { invalid: 'ProviderSpec is missing' } };
  const foreign = itsHost({ consumer: { ...CONSUMER, name: 'worker-9' } });
  const TAKEN = 'host host-1 is taken by Machine metal/worker-9';
  test.each<[string, MachineApiSnapshot, string]>([
    [
      'an invalid spec',
      aMachineOf(INVALID),
      'ProviderSpec is missing; correct spec.providerSpec, or delete the Machine',
    ],
    [
      'a providerID of something else',
      aMachineOf({ providerID: 'aws:///x', linkProblem: 'ProviderID value aws:///x is not a baremetalhost' }),
      'ProviderID value aws:///x is not a baremetalhost; correct spec.providerID, or delete the Machine',
    ],
    [
      'a host that is gone',
      aRunningMachine({ host: undefined }),
      'host metal/host-1 does not exist any more; delete the Machine',
    ],
    [
      'a host that was deprovisioned',
      aRunningMachine({ host: itsHost({ state: 'available' }) }),
      'host host-1 was deprovisioned (available); delete the Machine',
    ],
    ['a host that was taken', aRunningMachine({ host: foreign }), `${TAKEN}; delete the Machine`],
    [
      'a host that it names and another machine has',
      aMachineOf({ host: foreign, hostNews: undefined, link: 'metal/host-1' }),
      `${TAKEN}; remove the annotation metal3.io/BareMetalHost, or delete the Machine`,
    ],
  ])('%s', (_, seen, problem) => {
    const memory = begin(seen);
    const known = knownOfMachineApi(memory);
    expect(known).toMatchObject({ problem, hasFailed: false, hostAwaitsRetry: false });
    expect(refusal(machine(known), say('retry'))).toBe(`a retry does not help: ${problem}`);
    expect(messagesOf?.(memory).join('\n')).toContain(`A person has to help: ${problem}`);
    expect(stepOf(memory).kind).toBe('wait');
  });

  test.each<[string, MachineApiMemory]>([
    ['is being deleted', begin(aMachineOf({ ...INVALID, deletionTimestamp: '2026-01-01T00:00:00Z' }))],
    ['is left alone', begin(aMachineOf({ ...INVALID, ...MOVED }))],
    [
      'waits for the machine controller',
      begin(aMachineOf({ ...INVALID, isAdopted: false, settings: { isController: false, fastTrack: false } })),
    ],
    ['claims its host again', begin(aRunningMachine({ host: itsHost({ consumer: undefined }) }))],
    ['looks whether its host is still there', { ...begin(aRunningMachine({ host: undefined })), lastHost: 'host-1' }],
    ['runs, whatever its spec says', begin(aRunningMachine(INVALID))],
    ['waits for a host', begin(aMachineOf())],
  ])('but not one that %s', (_, memory) => {
    expect(knownOfMachineApi(memory)).not.toHaveProperty('problem');
    expect(messagesOf?.(memory).join('\n')).not.toContain('A person has to help');
  });
});

test('the details of its run have the last message, and what it takes now', () => {
  const steered = withSteered(begin(aRunningMachine()), { name: 'quarantine', ...ASKED }, '2026-01-01T00:00:00Z');
  const details = messagesOf?.(steered).join('\n');
  expect(details).toContain('Last message: quarantine by ada: the fan is loud (2026-01-01T00:00:00Z)');
  expect(details).toContain('Sent on to host host-1: abort, quarantine, release, reinspect, power');
  expect(details).not.toContain('--name');
  expect(show(steered).ofKind).toEqual({ steered: steered.steered });
  expect(show(begin(aRunningMachine()))).not.toHaveProperty('ofKind');
  const failed = ended(begin(aMachineOf()), { kind: 'failed', message: 'the API server is away' });
  expect(messagesOf?.(failed).join('\n')).toContain(`
    temporal \\
      workflow update execute -w machine.machine.openshift.io/metal/worker-0 \\
      --name retry --input '{"by":"USER","reason":"WHY"}'`);
  expect(messagesOf?.(begin(aRunningMachine(MOVED)))).toEqual([]);
});

describe('a retry of a Machine', () => {
  const annotated = ({ seen }: MachineApiMemory, retry?: string): MachineApiSnapshot => {
    const { retry: _, ...rest } = seen;
    return retry === undefined ? rest : { ...rest, retry };
  };
  /** After the step that begins the retry. */
  const begun = (memory: MachineApiMemory): MachineApiMemory => {
    const step = stepOf(memory);
    return step.kind === 'note' ? step.memory : memory;
  };
  const next = (memory: MachineApiMemory): string => wordsOf(stepOf(memory));
  const removed = (memory: MachineApiMemory): unknown => show(memory).annotations?.['temper/retry'];

  test('ends a backoff once, and its annotation is removed', () => {
    const waiting = ended(begin(aMachineOf()), { kind: 'failed', message: 'the API server is away' });
    expect(next(waiting)).toContain('wait: waiting to try again after: the API server is away');
    expect(removed(waiting)).toBeUndefined();
    const again = begun(absorb(waiting, annotated(waiting, 'again')));
    expect([next(again), removed(again)]).toEqual(['associate', null]);

    const failedAgain = ended(again, { kind: 'failed', message: 'the API server is away' });
    expect(next(failedAgain)).toContain('wait: ');
    const gone = absorb(failedAgain, annotated(failedAgain));
    expect(next(gone)).toContain('wait: ');
    expect(removed(gone)).toBeUndefined();
    expect(next(begun(absorb(gone, annotated(gone, 'again'))))).toBe('associate');
  });

  test('searches for a host again', () => {
    const answer = { kind: 'no host', reason: 'there are none', news: { bridge: 'b', count: 0 } } as const;
    const waiting = ended(begin(aMachineOf()), { kind: 'done', answer });
    expect(next(waiting)).toBe('wait: waiting for a host: there are none');
    expect(next(begun(absorb(waiting, annotated(waiting, 'again'))))).toBe('associate');
  });

  test('waits while Cluster API is in charge of it', () => {
    const left = begin(aRunningMachine({ retry: 'again', ...MOVED }));
    expect(next(left)).toBe('wait: left alone: its authoritative API is ClusterAPI');
    expect(removed(left)).toBeUndefined();
    const back = begun(absorb(left, aRunningMachine({ retry: 'again' })));
    expect(removed(back)).toBeNull();
    expect(show(back).annotations).toHaveProperty(['metal3.io/BareMetalHost']);
  });
});
