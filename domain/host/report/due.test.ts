import { describe, expect, test } from 'vitest';
import type { BareMetalHostSpec } from '../../../api/baremetalhost/types.ts';
import { aHost, aNode, CHANCE, IMAGE, NOW, provisionedWith } from '../../../test/builders/host.ts';
import { answerValue } from '../../steering/answer.ts';
import type { HostMemory } from '../memory/memory.ts';
import { absorb, begin } from '../memory/take-in.ts';
import { nextStep } from '../next-step.ts';
import { fail, park } from '../outcome/failure.ts';
import { record } from '../record.ts';
import { hostConditions } from './conditions.ts';

type Host = Parameters<typeof aHost>[0];
const QUARANTINE = { 'temper/quarantine': 'loud' };
const DETACHED = { 'baremetalhost.metal3.io/detached': '' };
const ON = aNode({ state: 'active', poweredOn: true });
const GOOD = { credentials: { name: 'node-1-bmc', namespace: 'metal' }, credentialsVersion: '90' };

/** A host that runs its image, with this change. */
const provisioned = (spec: Partial<BareMetalHostSpec> = {}, { seen, status, ...rest }: NonNullable<Host> = {}) =>
  aHost({
    state: 'provisioned',
    node: ON,
    ...rest,
    status: { poweredOn: true, goodCredentials: GOOD, provisioning: provisionedWith(), ...status },
    seen: { generation: 2, spec: { online: true, image: IMAGE, ...spec }, ...seen },
  });
/** An available host with this change. */
const available = (spec: Partial<BareMetalHostSpec> = {}, more: Partial<NonNullable<Host>> = {}): HostMemory =>
  aHost({ state: 'available', ...more, seen: { spec, ...more.seen } });

/** The host after all that it notes. */
function settled(memory: HostMemory): HostMemory {
  const step = nextStep(memory, NOW);
  return step.kind === 'note' ? settled(step.memory) : memory;
}
const conditionOf = (memory: HostMemory, type: string) => hostConditions(memory).find((each) => each.type === type);
/** `type reason: message` of kstatus's conditions that are True. */
const said = (memory: HostMemory): readonly string[] =>
  hostConditions(memory)
    .filter(({ type, status }) => (type === 'Reconciling' || type === 'Stalled') && status === 'True')
    .map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
const readyKeeps = (memory: HostMemory): boolean => conditionOf(memory, 'Ready')?.keepsGeneration === true;

describe('a host with something to do for its generation is reconciling', () => {
  test.each([
    ['that is registered', aHost({ state: 'registering' }), 'Registering: registering with Ironic'],
    ['that is inspected', aHost({ state: 'inspecting' }), 'Inspecting: inspecting the hardware'],
    [
      'that is provisioned',
      aHost({ state: 'provisioning', seen: { spec: { online: true, image: IMAGE } } }),
      'Provisioning: deploying http://images/a.raw',
    ],
    [
      'with another image',
      provisioned({ image: { ...IMAGE, url: 'http://images/b.raw' } }),
      'Deprovisioning: next: deprovisioning',
    ],
    ['without an image', provisioned({ image: undefined }), 'Deprovisioning: next: deprovisioning'],
    ['that is to be off', provisioned({ online: false }), 'PoweringOff: next: power off (soft)'],
    [
      'that was found off',
      provisioned({}, { node: aNode({ state: 'active' }), status: { poweredOn: false } }),
      'PoweringOn: next: power on',
    ],
    [
      'that is to be off while its power is unknown',
      provisioned({ online: false }, { node: aNode({ state: 'active', poweredOn: null }) }),
      'PoweringOff: next: power off (soft)',
    ],
    [
      'whose BMC has another address',
      provisioned(
        { bmc: { address: 'redfish://10.0.0.1/1', credentialsName: 'node-1-bmc' } },
        { registration: registered() },
      ),
      'Registering: next: tell Ironic spec.bmc.address',
    ],
    ['that is given an image', available({ online: true, image: IMAGE }), 'Provisioning: next: provisioning'],
    ['that gets BMC details', aHost({ state: 'unmanaged' }), 'Registering: next: registering'],
    [
      'that waits for a slot',
      available({ online: true, image: IMAGE }, { status: { operationalStatus: 'delayed' }, delayedSince: NOW }),
      'WaitingForSlot: waiting for one of 20 slots in Ironic before provisioning since 2026-01-01T00:00:00Z',
    ],
    [
      'that is to be deleted',
      provisioned({}, { seen: { deletionTimestamp: '2026-01-01T00:00:00Z' } }),
      'Deprovisioning: next: deprovisioning',
    ],
  ])('%s', (_, memory, words) => {
    expect(said(memory)).toEqual([`Reconciling ${words}`]);
    expect(readyKeeps(memory)).toBe(true);
  });

  test('while its step waits for an approval, a window or a person who ends its quarantine', () => {
    const other = { image: { ...IMAGE, url: 'http://images/b.raw' } };
    const held = (annotations: Record<string, string>) => settled(provisioned(other, { seen: { annotations } }));
    expect(said(held({ 'temper/approval': 'all' }))).toEqual([
      expect.stringMatching(/^Reconciling ApprovalNeeded: waiting for approval deprovision-/),
    ]);
    expect(said(held({ 'temper/approval-window': '0 3 * * * 2h' }))).toEqual([
      expect.stringMatching(/^Reconciling WindowClosed: waiting for the window/),
    ]);
    expect(said(held(QUARANTINE))).toEqual([
      'Reconciling Quarantined: in quarantine, by an annotation: loud; release ends that',
    ]);
    const { code = '' } = held({ 'temper/approval': 'all' }).awaits ?? {};
    const rejected = answerValue({ code, by: 'ada', reason: 'no' });
    expect(said(held({ 'temper/approval-rejected': rejected }))).toEqual([
      expect.stringMatching(/^Reconciling Rejected: rejected by ada: no/),
    ]);
  });

  test('between the attempts of what failed', () => {
    const failed = fail(aHost({ state: 'registering' }), 'registration error', 'no route', CHANCE);
    expect(said(failed)).toEqual([expect.stringMatching(/^Reconciling Retrying: registration error \(failure 1\)/)]);
  });

  test('while the Secret that it names is missing', () => {
    const bmcSecret = { name: 'node-1-bmc', resourceVersion: null };
    const missing = park(aHost({ state: 'registering', seen: { bmcSecret } }), 'registration error', 'no Secret', NOW);
    expect(said(missing)).toEqual([expect.stringMatching(/^Reconciling WaitingForSecret: registration error/)]);
  });

  test.each<[string, HostMemory['status']['goodCredentials']]>([
    ['nobody has tried its credentials', {}],
    ['its Secret is another one there', { ...GOOD, credentialsVersion: '7' }],
  ])('from its move to another cluster until Ironic has answered: %s', (_, goodCredentials) => {
    const { seen, status } = provisioned({}, { status: { goodCredentials } });
    const moved = settled({ ...begin({ ...seen, status }), hasFinalizer: true });
    expect(said(moved)).toEqual(['Reconciling Registering: next: register with Ironic']);
    expect(readyKeeps(moved)).toBe(true);
    const step = nextStep(moved, NOW);
    if (step.kind !== 'act' || step.action.name !== 'register') throw new Error(`no registration: ${step.kind}`);
    const known = { kind: 'done', node: ON, registered: { created: false, credentialsVersion: '90' } } as const;
    expect(said(record(moved, step.action, known, CHANCE))).toEqual([]);
  });

  test('from its attachment until Ironic knows that its node is in use', () => {
    const left = provisioned({}, { registration: null, node: null, status: { operationalStatus: 'detached' } });
    const attached = settled(left);
    expect(said(attached)).toEqual(['Reconciling Registering: next: register with Ironic']);
    const step = nextStep(attached, NOW);
    if (step.kind !== 'act' || step.action.name !== 'register') throw new Error(`no registration: ${step.kind}`);
    const created = { created: true, credentialsVersion: '90' };
    const known = record(
      attached,
      step.action,
      { kind: 'done', node: aNode({ poweredOn: true }), registered: created },
      CHANCE,
    );
    expect(said(known)).toEqual(['Reconciling Registering: next: register with Ironic']);
    const adoption = nextStep(settled(known), NOW);
    if (adoption.kind !== 'act' || adoption.action.name !== 'adopt') throw new Error(`no adoption: ${adoption.kind}`);
    expect(said(record(settled(known), adoption.action, { kind: 'done', node: ON, adopted: true }, CHANCE))).toEqual(
      [],
    );
  });
});

describe('a host that waits for somebody else is stalled, and not reconciling', () => {
  const spec = { online: true, image: IMAGE };
  const failures = { provisioningFailCount: 5, lastAttemptedImage: IMAGE };

  test('when its deployment was given up, also in quarantine', () => {
    for (const annotations of [{}, QUARANTINE]) {
      const memory = settled(aHost({ state: 'available', status: failures, seen: { spec, annotations } }));
      expect(said(memory)).toEqual([expect.stringContaining('Stalled RetryLimitReached: ')]);
      expect(readyKeeps(memory)).toBe(false);
    }
  });

  test('until its image is another one', () => {
    const memory = settled(aHost({ state: 'available', status: failures, seen: { spec } }));
    expect(said(memory)).toEqual([expect.stringContaining('Stalled')]);
    const image = { ...IMAGE, url: 'http://images/b.raw' };
    const changed = absorb(memory, { ...memory.seen, generation: 2, spec: { ...memory.seen.spec, image } });
    expect(said(changed)).toEqual([expect.stringContaining('Reconciling Provisioning: ')]);
  });

  test('when its Secret has no password', () => {
    const parked = park(aHost({ state: 'registering' }), 'registration error', 'no password', NOW);
    expect(said(parked)).toEqual([expect.stringContaining('Stalled BMCCredentialError: registration error')]);
  });
});

describe('a host with nothing to do for its generation is neither', () => {
  test.each([
    ['as desired', provisioned()],
    ['with other user data than was deployed', provisioned({ userData: { name: 'other' } })],
    [
      'that is off, as it should be',
      provisioned({ online: false }, { node: aNode({ state: 'active' }), status: { poweredOn: false } }),
    ],
    [
      'that is to be on, and whose BMC has never reported a power',
      provisioned({}, { node: aNode({ state: 'active', poweredOn: null }), status: { poweredOn: false } }),
    ],
    ['whose power is unknown', provisioned({}, { node: aNode({ state: 'active', poweredOn: null }) })],
    ['whose node Ironic has lost', provisioned({}, { registration: null, node: null })],
    ['whose node Ironic is to adopt', provisioned({}, { node: aNode({ poweredOn: true }) })],
    [
      'whose Secret has another version',
      provisioned({}, { seen: { bmcSecret: { name: 'node-1-bmc', resourceVersion: '95' } } }),
    ],
    ['that waits for an image', available()],
    ['that waits to be online', available({ online: false, image: IMAGE })],
    ['in quarantine that waits for an image', available({}, { seen: { annotations: QUARANTINE } })],
    ['that is to be detached', provisioned({}, { seen: { annotations: DETACHED } })],
    ['that is to be rebooted', provisioned({}, { seen: { annotations: { 'reboot.metal3.io': '' } } })],
    [
      'that an annotation keeps off',
      provisioned(
        {},
        {
          node: aNode({ state: 'active' }),
          status: { poweredOn: false },
          seen: { annotations: { 'reboot.metal3.io/mine': '' } },
        },
      ),
    ],
    ['in quarantine, as desired', provisioned({}, { seen: { annotations: QUARANTINE } })],
    [
      'that is detached, whatever it asks for',
      provisioned({ image: undefined }, { status: { operationalStatus: 'detached' }, seen: { annotations: DETACHED } }),
    ],
    [
      'that waits for BMC details',
      aHost({ state: 'unmanaged', status: { operationalStatus: 'discovered' }, seen: { spec: { bmc: undefined } } }),
    ],
  ])('%s', (_, memory) => {
    expect(said(memory)).toEqual([]);
    expect(readyKeeps(memory)).toBe(false);
  });

  test('and its run may begin anew without a difference in what it shows', () => {
    const { seen, status } = provisioned();
    expect(said(begin({ ...seen, status }))).toEqual([]);
  });

  test('also when it is available in quarantine: it counts as available for provisioning', () => {
    const memory = available({}, { seen: { annotations: QUARANTINE } });
    expect(conditionOf(memory, 'AvailableForProvisioning')).toMatchObject({ status: 'True', reason: 'Available' });
  });
});

test('a host whose rules never come to an end has nothing to do', () => {
  const annotations = new Proxy({ 'reboot.metal3.io': '' }, { has: () => false });
  expect(said(available({}, { node: aNode(), seen: { annotations } }))).toEqual([]);
});

/** The registration of a host with the settings of `aSnapshot`. */
function registered(): NonNullable<HostMemory['registration']> {
  const { registration } = aHost({ state: 'available' });
  if (registration === null) throw new Error('not registered');
  return registration;
}
