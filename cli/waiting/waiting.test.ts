import { afterEach, expect, test } from 'vitest';
import { type FollowedKind, KINDS } from '../../kube/kinds.ts';
import { type ListingServer, listingServer } from '../../test/builders/listing-server.ts';
import { requested } from '../command-line.ts';
import { waitingCommand } from './options.ts';
import { type Waiting, waitingIn, waitingLines } from './waiting.ts';

let server: ListingServer | undefined;
afterEach(() => server?.close());

const AT = '2026-01-01T10:00:00Z';
const CODE = `deprovision-${'0a'.repeat(16)}`;
const condition = (type: string, reason: string, message: string, status = 'True') => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: AT,
});

interface Shown {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly state?: string;
  readonly conditions?: readonly object[];
  readonly error?: string;
}
const aHost = (
  name: string,
  { annotations = {}, state = 'available', conditions = [], error }: Shown = {},
): object => ({
  metadata: { namespace: 'metal', name, annotations },
  spec: { online: true },
  status: {
    operationalStatus: 'OK',
    provisioning: { state },
    conditions,
    ...(error !== undefined && { errorType: 'inspection error', errorMessage: error }),
  },
});

async function waiting(hosts: readonly object[], of: readonly (readonly [FollowedKind, object])[] = []) {
  const kinds = [...new Set([KINDS.host, KINDS.metal3Machine, ...of.map(([kind]) => kind)])];
  const listed = [...hosts.map((host) => [KINDS.host, host] as const), ...of];
  const lists = kinds.map((kind) => ({
    kind,
    objects: listed.filter(([each]) => each === kind).map(([, object]) => object),
  }));
  server = await listingServer(lists);
  const refuse = (why: string): never => {
    throw new Error(why);
  };
  return waitingIn({ kube: server.kube, namespace: undefined, note: refuse });
}
const commandsOf = ([first]: readonly Waiting[]): readonly string[] | undefined => first?.commands;

test('a host that waits for approval is listed with the commands that answer', async () => {
  const why = `waiting for approval to erase its disks: ${CODE}`;
  const all = await waiting([aHost('h1', { conditions: [condition('StepHeld', 'ApprovalNeeded', why)] }), aHost('h2')]);
  expect(all).toEqual([
    {
      kind: 'BareMetalHost',
      namespace: 'metal',
      name: 'h1',
      since: AT,
      why,
      commands: [
        `kubectl -n metal annotate --overwrite bmh h1 temper/approval-given='${CODE} USER WHY'`,
        `npx temper approve host h1 -n metal --code ${CODE} --reason WHY`,
        `npx temper reject host h1 -n metal --code ${CODE} --reason WHY`,
        'npx temper explain host h1 -n metal',
      ],
    },
  ]);
  expect(waitingLines(all).slice(0, 2)).toEqual([
    `BareMetalHost metal/h1, since ${AT}: ${why}`,
    `  kubectl -n metal annotate --overwrite bmh h1 temper/approval-given='${CODE} USER WHY'`,
  ]);
});

test.each([
  ['temper/quarantine', '{"by":"ada","reason":"the fan is loud"}', 'in quarantine: by ada: the fan is loud', 'release'],
  ['baremetalhost.metal3.io/paused', 'work', 'paused: by an annotation: work', 'resume'],
  ['temper/abort', '{"by":"bob","reason":"wrong image"}', 'parked: by bob: wrong image', 'resume'],
])('a host with the annotation %s is listed with the message that ends it', async (key, value, why, message) => {
  const all = await waiting([aHost('h1', { annotations: { [key]: value } })]);
  expect(all).toMatchObject([{ why }]);
  expect(commandsOf(all)?.[0]).toBe(`npx temper ${message} host h1 -n metal --reason WHY`);
});

test('a host that a person has paused is listed with that person, whatever else pauses it', async () => {
  const paused = {
    'cluster.x-k8s.io/paused': '',
    'baremetalhost.metal3.io/paused': '{"by":"ada","reason":"a new fan"}',
  };
  expect(await waiting([aHost('h1', { annotations: paused })])).toMatchObject([{ why: 'paused: by ada: a new fan' }]);
});

test('no message ends the pause of a Cluster', async () => {
  const all = await waiting([aHost('h1', { annotations: { 'baremetalhost.metal3.io/paused': 'metal3.io/capm3' } })]);
  expect(commandsOf(all)).toEqual(['npx temper explain host h1 -n metal']);
});

test('a host that waits for a change after a failure is listed, one that tries again is not', async () => {
  const failed = (reason: string) => condition('Reconciling', reason, 'inspection error');
  const all = await waiting([
    aHost('h1', { error: 'no disk fits', conditions: [failed('WaitingForSecret')] }),
    aHost('h2', { error: 'timeout', conditions: [failed('Retrying')] }),
  ]);
  expect(all).toMatchObject([{ name: 'h1', why: 'inspection error: no disk fits' }]);
});

test('those that have waited longest come first, and those that do not show since when come last', async () => {
  const held = (lastTransitionTime: string) => ({
    conditions: [{ ...condition('StepHeld', 'ApprovalNeeded', 'waiting'), lastTransitionTime }],
  });
  const all = await waiting([
    aHost('unknown', { annotations: { 'temper/quarantine': 'x' } }),
    aHost('later', held('2026-01-02T00:00:00Z')),
    aHost('first', held('2026-01-01T00:00:00Z')),
    aHost('as-late', held('2026-01-02T00:00:00Z')),
    aHost('unknown-too', { annotations: { 'temper/quarantine': 'x' } }),
  ]);
  expect(all.map(({ name }) => name)).toEqual(['first', 'later', 'as-late', 'unknown', 'unknown-too']);
});

test('a host that has given up is listed, whatever its condition Ready says', async () => {
  const stalled = condition('Stalled', 'RetryLimitReached', 'it has failed too often');
  const all = await waiting([aHost('h1', { error: 'no disk fits', conditions: [stalled] })]);
  expect(all).toMatchObject([{ name: 'h1', why: 'inspection error: no disk fits' }]);
});

test('hosts and machines whose runs are paused in Temporal are listed, and no message that the run would refuse', async () => {
  const why = 'The run r was paused in Temporal by ada';
  const conditions = [condition('WorkflowPaused', 'RunPaused', why), condition('StepHeld', 'ApprovalNeeded', CODE)];
  const machine = { metadata: { namespace: 'metal', name: 'm1' }, status: { conditions } };
  const all = await waiting(
    [aHost('h1', { conditions, annotations: { 'temper/quarantine': 'x' } })],
    [
      [KINDS.metal3Machine, machine],
      [KINDS.openShiftMachine, machine],
    ],
  );
  const ofMachine = { name: 'm1', why, since: AT, commands: ['npx temper explain machine m1 -n metal'] };
  expect(all).toMatchObject([
    { name: 'h1', why, since: AT, commands: ['npx temper explain host h1 -n metal'] },
    { kind: 'Metal3Machine', ...ofMachine },
    { kind: 'Machine', ...ofMachine },
  ]);
});

test.each([
  ['WindowNeverOpen', 'waiting for the window 0 3 30 2 * 2h of the host, which is never open, to clean'],
  ['BudgetUnreadable', "waiting for a budget that can't be read, many of the host, to clean"],
])('a host whose %s no time ends is listed', async (reason, why) => {
  const all = await waiting([aHost('h1', { conditions: [condition('StepHeld', reason, why)] })]);
  expect(all).toMatchObject([{ name: 'h1', why, since: AT }]);
  expect(commandsOf(all)).toEqual(['npx temper explain host h1 -n metal']);
});

test('hosts that wait for a window, a budget or a server are not listed', async () => {
  const held = (reason: string) => ({ conditions: [condition('StepHeld', reason, 'waiting')] });
  expect(
    await waiting([
      aHost('h1', held('WindowClosed')),
      aHost('h2', held('BudgetExhausted')),
      aHost('h3', { state: 'inspecting' }),
    ]),
  ).toEqual([]);
  expect(waitingLines([])).toEqual(['nothing waits for a person']);
});

test('machines that are paused, or whose controller has given up, are listed, of each API', async () => {
  const metadata = (name: string, annotations = {}) => ({ namespace: 'metal', name, annotations });
  const paused = { metadata: metadata('m1', { 'cluster.x-k8s.io/paused': 'moving' }) };
  const failed = {
    metadata: metadata('m2'),
    status: { deprecated: { v1beta1: { failureMessage: 'its host is gone' } } },
  };
  const openShift = { metadata: metadata('m3'), status: { errorMessage: 'ProviderSpec: image is missing' } };
  const all = await waiting(
    [],
    [
      [KINDS.metal3Machine, paused],
      [KINDS.metal3Machine, failed],
      [KINDS.metal3Machine, { metadata: metadata('m4') }],
      [KINDS.openShiftMachine, openShift],
    ],
  );
  expect(all.map(({ kind, name, why }) => `${kind} ${name}: ${why}`).toSorted()).toEqual([
    'Machine m3: ProviderSpec: image is missing',
    'Metal3Machine m1: paused: by an annotation: moving',
    'Metal3Machine m2: its host is gone',
  ]);
  expect(all.find(({ name }) => name === 'm1')?.commands[0]).toBe('npx temper resume machine m1 -n metal --reason WHY');
  expect(server?.asked).toEqual(['baremetalhosts', 'metal3machines', 'metal3machines page 2', 'machines']);
});

test('the command line looks at all namespaces', () => {
  expect(requested(waitingCommand, [])).toMatchObject({ namespace: undefined, output: 'text' });
  expect(requested(waitingCommand, ['-n', 'metal', '-o', 'json'])).toMatchObject({
    namespace: 'metal',
    output: 'json',
  });
  expect(requested(waitingCommand, ['host'])).toBeUndefined();
});
