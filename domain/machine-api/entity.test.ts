import { describe, expect, test } from 'vitest';
import { AT, aHostFact } from '../../test/builders/machine.ts';
import {
  ACTUATOR,
  actionOf,
  aMachineOf,
  answered,
  aRunningMachine,
  CONSUMER,
  DELETED,
  ended,
  itsHost,
  itsNode,
  look,
  OTHER,
  PROVIDER_ID,
  shownBy,
  stepOf,
  WISH,
  wordsOf,
} from '../../test/builders/machine-api.ts';
import { machineApiEntity } from './entity.ts';
import type { MachineApiMemory } from './memory.ts';
import { CLUSTER_API_OF_2019 } from './names.ts';

const { absorb, begin, show } = machineApiEntity;
const CLAIMED = aHostFact({ consumer: CONSUMER, resourceVersion: '60' });
const FILLED = itsHost({ state: 'available', resourceVersion: '70' });
const associated = { kind: 'associated', host: CLAIMED, viaReuse: false } as const;

describe('a Machine', () => {
  test('reads like a procedure', () => {
    const words: string[] = [];
    let memory = begin(aMachineOf());
    const on = (next: MachineApiMemory): void => {
      memory = next;
      words.push(`${String(show(memory).status?.['phase'])}: ${wordsOf(stepOf(memory))}`);
    };
    on(memory);
    on(answered(memory, associated));
    on(answered(memory, { kind: 'host', host: FILLED }));
    const { hostNews: _, ...named } = aMachineOf({ link: 'metal/host-1' });
    on(absorb(memory, { ...named, host: itsHost({ state: 'provisioning', resourceVersion: '80' }) }));
    const host = itsHost({ resourceVersion: '90' });
    on(absorb(memory, { ...named, host, providerID: PROVIDER_ID }));
    on(absorb(memory, { ...named, host, providerID: PROVIDER_ID, node: itsNode({ providerID: '', machine: '' }) }));
    on(answered(memory, { kind: 'node' }));
    on(absorb(memory, aRunningMachine({ ...DELETED, host })));
    const off = itsHost({ resourceVersion: '95', hasImage: false, userData: undefined, online: false });
    on(answered(memory, { kind: 'host', host: off }));
    on(
      absorb(memory, aRunningMachine({ ...DELETED, host: { ...off, state: 'deprovisioning', resourceVersion: '96' } })),
    );
    on(absorb(memory, aRunningMachine({ ...DELETED, host: { ...off, state: 'available', resourceVersion: '97' } })));
    on(answered(memory, { kind: 'host', host: aHostFact({ resourceVersion: '98' }) }));
    on(answered(memory, { kind: 'node' }));
    expect(words).toEqual([
      'Provisioning: associate',
      `Provisioning: fill host ${JSON.stringify({ ...WISH, online: true })}`,
      'Provisioning: wait: waiting for host host-1 to be provisioned (available)',
      'Provisioning: wait: waiting for host host-1 to be provisioned (provisioning)',
      'Provisioned: wait: waiting for the Node of host host-1',
      'Running: link node',
      'Running: wait: runs as Node node-a on host host-1',
      'Deleting: deprovision host {"image":null,"userData":null,"online":false}',
      'Deleting: wait: being deleted: waiting for host host-1 to be deprovisioned (provisioned)',
      'Deleting: wait: being deleted: waiting for host host-1 to be deprovisioned (deprovisioning)',
      'Deleting: release host',
      'Deleting: delete node',
      'Deleting: gone',
    ]);
  });

  test('shows its finalizer before it claims a host', () => {
    const memory = begin(aMachineOf({ hasFinalizer: false }));
    expect(stepOf(memory)).toEqual({ kind: 'show' });
    expect(wordsOf(stepOf(memory, { finalizer: true }))).toBe('associate');
  });

  test('asks for a host with its selector, as the consumer that it will be', () => {
    const hostSelector = { matchLabels: { rack: '7' } };
    expect(actionOf(begin(aMachineOf({ desired: { ...WISH, hostSelector } }))).order).toEqual({
      machine: {
        namespace: 'metal',
        name: 'worker-0',
        api: 'machine.openshift.io/v1beta1',
        uid: 'machine-uid',
        creationTimestamp: '2026-01-01T00:00:00Z',
      },
      clusterName: '',
      criteria: { hostSelector },
      owner: {},
    });
  });

  test('waits for a host until there is news', () => {
    const news = { bridge: 'b', count: 0 };
    const memory = answered(begin(aMachineOf()), { kind: 'no host', reason: '1 host: 1 taken', news });
    expect(wordsOf(stepOf(memory))).toBe('wait: waiting for a host: 1 host: 1 taken');
    expect(show(memory).conditions).toEqual([
      {
        type: 'AssociateBareMetalHost',
        status: 'False',
        reason: 'AssociateBareMetalHostFailed',
        message: 'no available host found. 1 host: 1 taken',
      },
    ]);
    expect(show(memory).status).toEqual({ phase: 'Provisioning' });
    expect(wordsOf(stepOf(absorb(memory, aMachineOf())))).toBe('wait: waiting for a host: 1 host: 1 taken');
    const told = absorb(memory, aMachineOf({ hostNews: { bridge: 'b', count: 1 } }));
    expect(wordsOf(stepOf(told))).toBe('associate');
  });

  test('keeps a claimed host that a snapshot does not show yet', () => {
    const memory = absorb(answered(begin(aMachineOf()), associated), aMachineOf());
    expect(memory.seen.host).toEqual(CLAIMED);
    const older = absorb(memory, aMachineOf({ host: aHostFact({ resourceVersion: '55' }) }));
    expect(older.seen.host).toEqual(CLAIMED);
    expect(absorb(memory, aMachineOf({ link: 'metal/host-1' })).seen.host).toBeUndefined();
  });

  test.each([
    [
      'an image that its host has already is never changed',
      { host: itsHost({ state: 'available', image: 'x' } as object) },
      'wait: waiting for host host-1 to be provisioned (available)',
    ],
    [
      'a host with an error says it',
      { host: itsHost({ state: 'provisioning', errorMessage: 'no disk' }) },
      'wait: waiting for host host-1 to be provisioned (provisioning: no disk)',
    ],
    ['a host that it names is claimed', { link: 'metal/host-1', host: aHostFact() }, 'associate'],
    [
      'a host that lost its consumer is claimed again',
      { ...aRunningMachine(), host: itsHost({ consumer: undefined }) },
      'associate',
    ],
    [
      'a host of another consumer stays that of the other',
      { link: 'metal/host-1', host: itsHost({ consumer: OTHER }) },
      'wait: host host-1 is taken by Machine metal/worker-1',
    ],
    [
      'a host that is being deleted is not claimed',
      { link: 'metal/host-1', host: aHostFact({ deleting: true }) },
      'wait: host host-1 is being deleted',
    ],
    [
      'an externally provisioned host counts as provisioned',
      { link: 'metal/host-1', host: itsHost({ state: 'externally provisioned', hasImage: false }) },
      'wait: waiting for the Node of host host-1',
    ],
    [
      'an invalid spec claims no host',
      { desired: { invalid: 'ProviderSpec is missing' } },
      'wait: ProviderSpec is missing',
    ],
    [
      'an invalid spec does not matter for what runs',
      { ...aRunningMachine(), desired: { invalid: 'ProviderSpec is missing' } },
      'wait: runs as Node node-a on host host-1',
    ],
  ])('%s', (_, change, words) => {
    expect(look(aMachineOf(change))).toBe(words);
  });

  test('tries again after a failure, later each time, and tells after three', () => {
    let memory = begin(aMachineOf());
    for (const [now, until] of [
      [AT, 5],
      [AT + 5_000, 15],
      [AT + 15_000, 35],
    ] as const) {
      memory = ended(memory, { kind: 'failed', message: 'no answer' }, now);
      expect(stepOf(memory, null, now)).toEqual({
        kind: 'wait',
        reason: 'waiting to try again after: no answer',
        cause: 'no answer',
        until: AT + until * 1_000,
      });
      memory = { ...memory, trouble: memory.trouble && { ...memory.trouble, until: AT } };
    }
    expect(show(memory).conditions?.[0]?.message).toBe('no answer');
  });

  test('leaves a host that another consumer took meanwhile', () => {
    const memory = answered(begin(aMachineOf({ link: 'metal/host-1', host: aHostFact() })), {
      kind: 'taken',
      by: OTHER,
    });
    expect(wordsOf(stepOf(memory))).toBe('wait: host host-1 is taken by Machine metal/worker-1');
  });
});

describe('a host that lost its consumer, and may not be given back,', () => {
  const lost = { ...aRunningMachine(), host: itsHost({ consumer: undefined }) };
  const refused = { kind: 'taken', by: null, why: 'is being deleted' } as const;

  test('is asked for again later each time, and the Machine says why after three refusals', () => {
    let memory = begin(aMachineOf(lost));
    for (const seconds of [5, 10, 20]) {
      memory = ended(memory, { kind: 'done', answer: refused }, AT);
      expect(stepOf(memory, null, AT)).toMatchObject({
        kind: 'wait',
        cause: 'BareMetalHost host-1 is being deleted',
        until: AT + seconds * 1_000,
      });
      memory = { ...memory, trouble: memory.trouble && { ...memory.trouble, until: AT } };
    }
    expect(show(memory).conditions?.[0]?.message).toBe(
      'host host-1 has no consumer: BareMetalHost host-1 is being deleted',
    );
  });
});

describe('what a Machine shows', () => {
  test('while its host is provisioned: the host, and its state', () => {
    expect(shownBy(aMachineOf({ link: 'metal/host-1', host: FILLED }))).toEqual({
      finalizer: true,
      annotations: { 'metal3.io/BareMetalHost': 'metal/host-1', 'machine.openshift.io/instance-state': 'available' },
      status: { phase: 'Provisioning' },
      conditions: [
        {
          type: 'AssociateBareMetalHost',
          status: 'True',
          reason: 'AssociateBareMetalHostSuccess',
          message: 'host host-1: available',
        },
      ],
      timed: true,
    });
  });

  test('while its host has an error: the error', () => {
    const host = itsHost({ state: 'provisioning', errorMessage: 'the disk is on fire' });
    expect(shownBy(aMachineOf({ link: 'metal/host-1', host })).conditions?.[0]).toEqual({
      type: 'AssociateBareMetalHost',
      status: 'True',
      reason: 'AssociateBareMetalHostSuccess',
      message: 'host host-1: provisioning: the disk is on fire',
    });
  });

  test('once it is provisioned: addresses before its Node asks for them, and providerID', () => {
    const seen = aRunningMachine({ providerID: '', node: undefined, nodeRef: undefined });
    expect(shownBy(seen)).toMatchObject({
      spec: { providerID: PROVIDER_ID },
      status: {
        phase: 'Provisioned',
        addresses: [
          { type: 'InternalIP', address: '192.168.111.20' },
          { type: 'Hostname', address: 'node-a' },
          { type: 'InternalDNS', address: 'node-a' },
        ],
      },
    });
  });

  test('keeps a providerID that it has, also without the uid of its host', () => {
    const { spec } = shownBy(aRunningMachine({ providerID: 'baremetalhost:///metal/host-1' }));
    expect(spec).toEqual({ providerID: 'baremetalhost:///metal/host-1' });
  });
  test('keeps a providerID that is too long for its run, which has it cut', () => {
    const providerID = `baremetalhost:///metal/${'x'.repeat(977)}… ${'d'.repeat(43)}`;
    expect(shownBy(aRunningMachine({ providerID })).spec).toBeUndefined();
  });

  test('when it runs: its Node', () => {
    const nodeRef = { apiVersion: 'v1', kind: 'Node', name: 'node-a', uid: 'node-uid' };
    expect(shownBy(aRunningMachine()).status).toMatchObject({ phase: 'Running', nodeRef });
  });

  test('no Node of an earlier machine on its host', () => {
    const { status } = shownBy(aMachineOf({ link: 'metal/host-1', host: FILLED, node: itsNode() }));
    expect(status).toEqual({ phase: 'Provisioning' });
  });

  test.each([
    ['is gone', { host: undefined }, 'host metal/host-1 does not exist any more'],
    ['was deprovisioned', { host: itsHost({ state: 'available' }) }, 'host host-1 was deprovisioned (available)'],
    ['has another consumer', { host: itsHost({ consumer: OTHER }) }, 'host host-1 is taken by Machine metal/worker-1'],
  ])('after its host %s: Failed, and no addresses', (_, change, message) => {
    const seen = aRunningMachine({ node: undefined, nodeRef: undefined, ...change });
    expect(shownBy(seen).status).toEqual({ phase: 'Failed', errorMessage: message });
    expect(look(seen)).toBe(`wait: ${message}`);
  });

  test.each([
    ['a spec that can not be deployed', { desired: { invalid: 'ProviderSpec is missing' } }, 'ProviderSpec is missing'],
    [
      'a providerID of another platform',
      { providerID: 'aws://x', linkProblem: 'ProviderID value aws://x is not a baremetalhost' },
      'ProviderID value aws://x is not a baremetalhost',
    ],
  ])('for %s: InvalidConfiguration', (_, change, errorMessage) => {
    const { status } = shownBy(aMachineOf(change));
    expect(status).toMatchObject({ errorReason: 'InvalidConfiguration', errorMessage });
  });

  test('in the API of 2019: no state of its host', () => {
    const consumer = { ...CONSUMER, apiVersion: CLUSTER_API_OF_2019 };
    const { annotations } = shownBy(aRunningMachine({ api: CLUSTER_API_OF_2019, host: itsHost({ consumer }) }));
    expect(annotations).toEqual({ 'metal3.io/BareMetalHost': 'metal/host-1' });
  });
});

describe('beside the machine controller of OpenShift, a Machine', () => {
  test('is left alone until that has taken it up', () => {
    const machine = aMachineOf({ settings: ACTUATOR, isAdopted: false, hasFinalizer: false });
    expect(look(machine)).toBe('wait: waiting for the machine controller to take it up');
    expect(shownBy(machine)).toEqual({});
  });
  test('shows what is of the actuator', () => {
    expect(shownBy(aRunningMachine({ settings: ACTUATOR })).status).toEqual({
      addresses: expect.any(Array) as unknown,
    });
  });
});

describe('the Node of a Machine', () => {
  test.each([
    ['gets its providerID', { providerID: '' }, 'link node'],
    ['gets the name of the Machine', { machine: '' }, 'link node'],
    ['gets labels and taints of the Machine', { lacks: true }, 'link node'],
    ['loses the finalizer of former actuators', { hasLegacyFinalizer: true }, 'link node'],
    ['keeps a providerID that it has', { providerID: 'other://1' }, 'wait: runs as Node node-a on host host-1'],
  ])('%s', (_, change, words) => {
    expect(look(aRunningMachine({ node: itsNode(change) }))).toBe(words);
  });
});
