import { expect, test } from 'vitest';
import { aHost, aNode, CHANCE, IMAGE, NOW, provisionedWith } from '../../test/builders/host.ts';
import { NODE_OCCUPIED, occupiedInWords } from '../ironic/occupied.ts';
import { census } from '../metrics/census.ts';
import { answerValue } from '../steering/answer.ts';
import { withPlaceAnswered } from './approval/place-answered.ts';
import { hostEntity } from './entity.ts';
import type { HostMemory } from './memory/memory.ts';
import { nextStep } from './next-step.ts';
import { fail, park } from './outcome/failure.ts';
import { startOf } from './record.ts';
import { show } from './report/show.ts';

const spec = { online: true, image: IMAGE };
const BMC_OVER_NETWORK = { address: 'ipmi://192.0.2.1', credentialsName: 'node-1-bmc' };
const FAILED_FIVE_TIMES = { provisioningFailCount: 5, lastAttemptedImage: IMAGE };
const NO_SECRET = { bmcSecret: { name: 'node-1-bmc', resourceVersion: null } };
const REASON = '{"by":"ann","reason":"the fan is loud"}';

/** A host that would replace its image. */
const replaced = (annotations: Readonly<Record<string, string>>, more: Partial<HostMemory> = {}): HostMemory => ({
  ...aHost({
    state: 'provisioned',
    status: { provisioning: provisionedWith('http://images/old.raw'), poweredOn: true },
    node: aNode({ state: 'active', poweredOn: true }),
    seen: { spec, annotations },
  }),
  ...more,
});
const registering = (seen: Parameters<typeof aHost>[0] = {}): HostMemory => aHost({ state: 'registering', ...seen });

function rejected(): HostMemory {
  const { code = '' } = settled(replaced({ 'temper/approval': 'all' })).awaits ?? {};
  return replaced({ 'temper/approval-rejected': answerValue({ code, by: 'ada', reason: 'no' }) });
}

/** The host once it has asked for places, and has to wait for them. */
function inLine(host: HostMemory): HostMemory {
  const step = nextStep(host, NOW);
  if (step.kind !== 'act' || step.action.name !== 'ask for place') throw new Error(`it should ask, not ${step.kind}`);
  const { lock, needs } = step.action.order;
  const [{ budget, limit } = { budget: '', limit: 0 }] = needs;
  const asked = startOf(host, { ...step.action, order: { ...step.action.order, ticket: 'mine' } });
  const waitsFor = { budget, limit, held: limit, holders: [], ahead: 1 };
  return withPlaceAnswered(asked, { lock, kind: 'queued', ticket: 'mine', waitsFor });
}

/** The host once it has noted what it notes before it waits. */
function settled(host: HostMemory): HostMemory {
  const step = nextStep(host, NOW);
  return step.kind === 'note' ? settled(step.memory) : host;
}

/** Conditions that a host has only while it waits or works, as `type reason`. */
const PASSING = ['StepHeld', 'Reconciling', 'Stalled'];

/** All that tells of the wait: to people, in lists of runs, and in the metric, which is made from the object alone. */
function toldOf(host: HostMemory) {
  const step = nextStep(host, NOW);
  if (step.kind !== 'wait') throw new Error(`it should wait, not ${step.kind}`);
  const { status, conditions = [] } = show(host);
  const shown = { metadata: { annotations: host.seen.annotations }, status: { ...status, conditions } };
  const counted = census([shown], NOW).filter(({ name, value }) => name === 'temper_hosts_waiting' && value === 1);
  return {
    conditions: conditions
      .filter(({ type }) => PASSING.includes(type))
      .map(({ type, reason }) => `${type} ${reason}`)
      .toSorted(),
    event: host.events.at(-1)?.reason,
    details: hostEntity.detailsOf(host, step.reason),
    attribute: hostEntity.listed?.(host).waitsFor,
    metric: counted.map(({ labels }) => Object.values(labels)).flat(),
  };
}

interface Told {
  readonly conditions: readonly string[];
  readonly event?: string;
  readonly details: string;
  readonly ends: string;
}
const held = (reason: string, details: string, ends: string): Told => ({
  conditions: [`Reconciling ${reason}`, `StepHeld ${reason}`],
  event: reason,
  details,
  ends,
});

test.each<[string, HostMemory, Told]>([
  [
    'is paused',
    aHost({ state: 'available', seen: { annotations: { 'baremetalhost.metal3.io/paused': '' } } }),
    { conditions: [], details: 'paused by the annotation', ends: 'person' },
  ],
  [
    'is in quarantine',
    replaced({ 'temper/quarantine': REASON }),
    { conditions: ['Reconciling Quarantined'], details: 'in quarantine, by ann: the fan', ends: 'person' },
  ],
  [
    'is parked by an abort',
    replaced({ 'temper/abort': REASON }, { isAborted: true }),
    { conditions: ['Reconciling ParkedByAbort'], details: 'parked by an abort, by ann: the fan', ends: 'person' },
  ],
  [
    'needs an approval',
    replaced({ 'temper/approval': 'all' }),
    held('ApprovalNeeded', 'waiting for approval deprovision-', 'person'),
  ],
  ['may not go on', rejected(), held('Rejected', 'rejected by ada: no; it would', 'person')],
  [
    'waits for its window',
    replaced({ 'temper/approval-window': '0 3 * * * 2h' }),
    held('WindowClosed', 'which opens at 2026-01-01T03:00:00', 'window'),
  ],
  [
    'has a window that is never open',
    replaced({ 'temper/approval-window': '0 3 30 2 * 2h' }),
    held('WindowNeverOpen', 'which is never open', 'person'),
  ],
  [
    "has a window that can't be read",
    replaced({ 'temper/approval-window': 'soon' }),
    held('WindowNeverOpen', 'the window soon of the host, which is never open', 'person'),
  ],
  [
    'waits for its turn in a budget',
    inLine(replaced({ 'temper/approval-budget': '1' })),
    held('BudgetExhausted', 'waiting for its turn in the budget', 'budget'),
  ],
  [
    "has a budget that can't be read",
    replaced({ 'temper/approval-budget': 'many' }),
    held('BudgetUnreadable', 'many of the host', 'person'),
  ],
  [
    'waits for a slot',
    inLine(aHost({ state: 'available', seen: { spec: { ...spec, bmc: BMC_OVER_NETWORK } } })),
    { conditions: ['Reconciling WaitingForSlot'], details: 'waiting for one of 20 slots', ends: 'slot' },
  ],
  [
    'tries again',
    fail(registering(), 'registration error', 'no route', CHANCE),
    {
      conditions: ['Reconciling Retrying'],
      event: 'RegistrationError',
      details: 'waiting to try again',
      ends: 'retry',
    },
  ],
  [
    'lacks its Secret',
    park(registering({ seen: NO_SECRET }), 'registration error', 'no Secret', NOW, 'BMCCredentialError'),
    {
      conditions: ['Reconciling WaitingForSecret'],
      event: 'BMCCredentialError',
      details: 'waiting for a change',
      ends: 'person',
    },
  ],
  [
    'has a wrong password',
    park(registering(), 'registration error', 'HTTP 401', NOW, 'BMCCredentialError'),
    {
      conditions: ['Stalled BMCCredentialError'],
      event: 'BMCCredentialError',
      details: 'waiting for a change',
      ends: 'person',
    },
  ],
  [
    'has given up its image',
    aHost({ state: 'available', status: FAILED_FIVE_TIMES, seen: { spec } }),
    {
      conditions: ['Stalled RetryLimitReached'],
      event: 'ProvisioningError',
      details: 'waiting for a change',
      ends: 'person',
    },
  ],
  [
    'finds its server in use',
    park(aHost({ state: 'provisioning' }), 'provisioning error', occupiedInWords(aNode()), NOW, NODE_OCCUPIED),
    {
      conditions: ['Stalled NodeOccupied'],
      event: 'NodeOccupied',
      details: 'waiting for a change',
      ends: 'person',
    },
  ],
  [
    'has no BMC',
    aHost({ state: 'unmanaged', seen: { spec: { bmc: { address: '', credentialsName: '' } } } }),
    { conditions: [], details: 'waiting for BMC details', ends: 'person' },
  ],
])('a host that %s says so everywhere', (_, host, { conditions, event, details, ends }) => {
  expect(toldOf(settled(host))).toEqual({
    conditions,
    event,
    details: expect.stringContaining(details) as string,
    attribute: ends,
    metric: [ends],
  });
});
