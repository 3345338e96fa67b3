import { describe, expect, test } from 'vitest';
import type { ProvisioningState } from '../../api/baremetalhost/values.ts';
import { aHost, aNode, aSnapshot, CHANCE, IMAGE } from '../../test/builders/host.ts';
import { said } from '../../test/builders/step.ts';
import type { PowerOrder } from '../ironic/orders.ts';
import { hostRef } from './desired/wishes.ts';
import { hostEntity } from './entity.ts';
import { asksForMore } from './memory/asks-for-more.ts';
import { type HostMemory } from './memory/memory.ts';
import { absorb } from './memory/take-in.ts';
import type { Task } from './memory/task.ts';
import { nextStep } from './next-step.ts';
import { record, startOf } from './record.ts';
import { show } from './report/show.ts';
import { summaryOf } from './report/words.ts';
import type { HostOutcome } from './step.ts';

/** The next task of the host. */
function taskOf(memory: HostMemory): Task {
  const step = nextStep(memory, CHANCE.now);
  if (step.kind === 'note') return taskOf(step.memory);
  if (step.kind === 'act') return step.action;
  if (step.kind === 'run') return step.operation;
  throw new Error(`the host does nothing: ${step.kind}`);
}
/** The memory after all steps that need no task. */
function noted(memory: HostMemory): HostMemory {
  const step = nextStep(memory, CHANCE.now);
  return step.kind === 'note' ? noted(step.memory) : memory;
}
const after = (memory: HostMemory, outcome: HostOutcome): HostMemory =>
  record(noted(memory), taskOf(memory), outcome, CHANCE);
const reasons = (memory: HostMemory): string[] => memory.events.map(({ reason }) => reason);
const registered = (node = aNode()): HostOutcome => ({
  kind: 'done',
  node,
  registered: { created: true, credentialsVersion: '91' },
});

describe('a registration', () => {
  test('that went well shows node, credentials, profile and hints, and tells of it in events', () => {
    const memory = after(aHost({ state: 'registering' }), registered());
    const credentials = { credentials: { name: 'node-1-bmc', namespace: 'metal' }, credentialsVersion: '91' };
    expect(memory.status).toMatchObject({
      operationalStatus: 'OK',
      hardwareProfile: 'unknown',
      triedCredentials: credentials,
      goodCredentials: credentials,
      provisioning: { ID: aNode().id, rootDeviceHints: { deviceName: '/dev/sda' } },
    });
    expect(memory.events.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([
      'Registered: Registered new host',
      'ProfileSet: Hardware profile set: unknown',
      'BMCAccessValidated: Verified access to BMC',
      'RegistrationComplete: Host registered',
    ]);
  });
  test('remembers which architecture was asked for, and which one Ironic has', () => {
    const told = { created: false, credentialsVersion: '91', architecture: 'x86_64' };
    const memory = after(aHost({ state: 'registering' }), { kind: 'done', node: aNode(), registered: told });
    expect(memory.registration?.architecture).toEqual({ desired: '', observed: 'x86_64' });
    expect(said(nextStep(memory, CHANCE.now))).not.toBe('register');
  });
  test('remembers which network Ironic has, also when a newer one could not be sent', () => {
    const network = (resourceVersion: string) => ({ name: 'net', resourceVersion });
    const told = (networkVersion?: string): HostOutcome => ({
      kind: 'done',
      node: aNode(),
      registered: { created: false, credentialsVersion: '91', ...(networkVersion && { networkVersion }) },
    });
    const spec = { preprovisioningNetworkDataName: 'net' };
    const seen = { spec, preprovisioningNetworkData: network('7') };
    const first = after(aHost({ state: 'registering', seen }), told('8'));
    expect(first.registration?.network).toEqual({ name: 'net', seen: '7', used: '8' });
    const changed = absorb(
      first,
      aSnapshot({ ...seen, resourceVersion: '130', preprovisioningNetworkData: network('9') }),
    );
    expect(after(changed, told()).registration?.network).toEqual({ name: 'net', seen: '7', used: '8' });
    const renamed = absorb(
      first,
      aSnapshot({
        resourceVersion: '131',
        spec: { preprovisioningNetworkDataName: 'other' },
        preprovisioningNetworkData: { name: 'other', resourceVersion: '9' },
      }),
    );
    const names = [first, after(renamed, told()), after(renamed, told('10'))].map((memory) => show(memory).ofKind);
    expect(names.map((shown) => shown?.['agentNetwork'])).toEqual(['net', 'net', 'other']);
  });
  test('that the BMC refused is shown with Ironic’s text, counted, and waits', () => {
    const outcome: HostOutcome = {
      kind: 'failed',
      message: 'HTTP GET … returned code 401',
      node: aNode({ state: 'enroll' }),
      credentialsVersion: '91',
    };
    const memory = after(aHost({ state: 'registering' }), outcome);
    expect(memory.status).toMatchObject({
      operationalStatus: 'error',
      errorType: 'registration error',
      errorMessage: 'HTTP GET … returned code 401',
      errorCount: 1,
      triedCredentials: { credentialsVersion: '91' },
      provisioning: { ID: aNode().id },
    });
    expect(memory.status.goodCredentials).toEqual({});
    expect(memory.retry).toEqual({ kind: 'at', at: CHANCE.now + 120_000 });
    expect(reasons(memory)).toEqual(['RegistrationError']);
  });
  test('whose node is missing in a list is a failure', () => {
    const lost = after(aHost({ state: 'registering' }), { kind: 'lost' });
    expect(lost.status.errorMessage).toBe('Ironic lost the node while its BMC was being verified');
    expect(lost.registration).toBeNull();
  });
  test('that the BMC refused while the Secret was corrected is no older than the correction', () => {
    const before = aHost({ state: 'registering' });
    const task = taskOf(before);
    const corrected = absorb(
      before,
      aSnapshot({ resourceVersion: '101', bmcSecret: { name: 'node-1-bmc', resourceVersion: '99' } }),
    );
    const memory = record(corrected, task, { kind: 'failed', message: '401', credentialsVersion: '91' }, CHANCE);
    expect(memory.status.errorCount).toBe(1);
    expect(asksForMore(memory, before.seen, memory.seen)).toBe(true);
  });
  test('without a Secret waits for the Secret and for nothing else', () => {
    const memory = after(aHost({ state: 'registering' }), {
      kind: 'failed',
      message: 'no Secret',
      credentials: 'missing',
    });
    expect(memory.retry).toEqual({ kind: 'on change' });
    expect(reasons(memory)).toEqual(['BMCCredentialError']);
    expect(memory.status.provisioning.state).toBe('registering');
  });
  test('with an unknown hardware profile is an error', () => {
    const memory = after(aHost({ state: 'registering', seen: { spec: { hardwareProfile: 'odd' } } }), registered());
    expect(memory.status).toMatchObject({
      errorMessage: 'no hardware profile named "odd"',
      errorType: 'registration error',
    });
    expect(memory.registration).toBeNull();
  });
  test('heals a registration error but no other', () => {
    const host = { state: 'registering', status: { errorType: 'registration error', errorCount: 2 } } as const;
    const healed = after(aHost(host), registered());
    expect(healed.status.errorType).toBeUndefined();
    expect(healed.status.errorCount).toBe(2);
    const other = after(aHost({ ...host, status: { errorType: 'provisioning error' } }), registered());
    expect(other.status.errorType).toBe('provisioning error');
  });
  test('ends its entry in the history', () => {
    expect(after(aHost({ state: 'registering' }), registered()).status.operationHistory.register?.end).toBe(
      '2026-01-01T00:00:00Z',
    );
  });
});

describe('a task', () => {
  test('given up changes nothing', () => {
    const memory = aHost({ state: 'inspecting' });
    expect(after(memory, { kind: 'cancelled' })).toBe(memory);
  });
  test.each<[ProvisioningState, Task['name']]>([
    ['inspecting', 'inspect'],
    ['provisioning', 'provision'],
    ['deprovisioning', 'deprovision'],
    ['deleting', 'delete'],
  ])('in %s that others ended is begun again, and is no error', (state, name) => {
    const deleted = state === 'deleting' && { deletionTimestamp: '2026-01-01T00:00:00Z' };
    const seen = { spec: { image: IMAGE }, ...deleted };
    const memory = aHost({ state, status: { lastAttemptedImage: IMAGE }, seen });
    const task = taskOf(memory);
    const ending = { ...CHANCE, before: memory };
    const ended = hostEntity.record(startOf(memory, task), task, { kind: 'cancelled', byOthers: true }, ending);
    expect([task.name, taskOf(ended).name, ended.status.errorCount]).toEqual([name, name, 0]);
    expect(ended.events.at(-1)).toMatchObject({
      reason: 'OperationEnded',
      message: expect.stringContaining(
        `ended in Temporal, not by Temper; it is begun again: ${summaryOf(task)}`,
      ) as unknown,
      warning: true,
    });
  });
  test('for a node that Ironic lost leads to a new registration', () => {
    const memory = after(aHost({ state: 'inspecting' }), { kind: 'lost' });
    expect(memory.registration).toBeNull();
    expect(taskOf(memory).name).toBe('register');
  });
  test.each([
    [{ state: 'inspecting' }, 'inspection error', 'InspectionError'],
    [{ state: 'provisioning', seen: { spec: { image: IMAGE } } }, 'provisioning error', 'ProvisioningError'],
    [{ state: 'deprovisioning' }, 'provisioning error', 'ProvisioningError'],
    [
      { state: 'externally provisioned', seen: { spec: { externallyProvisioned: true } } },
      'provisioned registration error',
      'ProvisionedRegistrationError',
    ],
    [{ state: 'available', seen: { spec: { online: true } } }, 'power management error', 'PowerManagementError'],
  ] as const)('that failed in %j is a(n) %s', (host, errorType, reason) => {
    const memory = after(aHost(host), { kind: 'failed', message: 'because' });
    expect(memory.status).toMatchObject({
      errorType,
      errorMessage: 'because',
      errorCount: 1,
      operationalStatus: 'error',
    });
    expect(memory.events).toEqual([{ id: '1', reason, message: 'because', warning: true }]);
  });
  test('that failed without a reason never shows an empty one', () => {
    const memory = after(aHost({ state: 'inspecting' }), { kind: 'failed', message: ' ' });
    expect(memory.status.errorMessage).toBe('inspection error without a reason from Ironic');
  });
  test('that waits longer each time it fails', () => {
    const twice = after(
      { ...after(aHost({ state: 'inspecting' }), { kind: 'failed', message: 'x' }), retry: null },
      { kind: 'failed', message: 'x' },
    );
    expect(twice.retry).toEqual({ kind: 'at', at: CHANCE.now + 4 * 60_000 });
  });
});

describe('an inspection that starts', () => {
  test('removes the annotation that requested it', () => {
    const memory = aHost({ state: 'inspecting', seen: { annotations: { 'inspect.metal3.io': '' } } });
    expect(startOf(memory, taskOf(memory)).consumedAnnotations).toEqual(['inspect.metal3.io']);
  });
});

describe('power', () => {
  test('is shown as Ironic tells it, with an event', () => {
    const host = aHost({ state: 'available', seen: { spec: { online: true } } });
    const memory = after(host, { kind: 'done', node: aNode({ poweredOn: true }) });
    expect(memory.status.poweredOn).toBe(true);
    expect(memory.events).toEqual([{ id: '1', reason: 'PowerOn', message: 'Host powered on' }]);
  });
  test('that is unknown keeps what was shown', () => {
    const host = aHost({
      state: 'provisioned',
      node: aNode({ state: 'active' }),
      status: { poweredOn: true, provisioning: { state: 'provisioned', ID: 'x', image: IMAGE } },
      seen: { spec: { online: true, image: IMAGE } },
    });
    expect(after(host, { kind: 'done', node: aNode({ poweredOn: null }) }).status.poweredOn).toBe(true);
  });
});

describe('a task that ended well', () => {
  const host = aHost({ state: 'provisioned', node: aNode({ state: 'active', poweredOn: true }) });
  const done = (task: Task, outcome: Partial<HostOutcome & { kind: 'done' }> = {}): HostMemory =>
    record(host, task, { kind: 'done', ...outcome }, CHANCE);
  const order = { image: IMAGE } as never;
  const toldOf = (poweredOn: boolean, change: Omit<PowerOrder, 'host' | 'nodeId' | 'force'>) =>
    record(
      { ...host, node: aNode({ poweredOn }) },
      { name: 'power', order: { host: hostRef(host), nodeId: 'x', force: false, ...change } },
      { kind: 'done' },
      CHANCE,
    ).events;

  test('is recorded, so that the state changes, and has an Event', () => {
    expect(done({ name: 'inspect', order }, { inventory: { architecture: 'aarch64', hostname: 'x' } })).toMatchObject({
      finished: { name: 'inspect' },
      inspected: true,
      architecture: 'aarch64',
      events: [{ reason: 'InspectionComplete', message: 'Hardware inspection completed' }],
    });
    expect(done({ name: 'inspect', order })).toMatchObject({ inspected: true, architecture: '' });
    expect(done({ name: 'provision', order })).toMatchObject({
      finished: { name: 'provision', image: IMAGE },
      events: [{ reason: 'ProvisioningComplete', message: `Image provisioning completed for ${IMAGE.url}` }],
    });
    expect(done({ name: 'provision', order: {} as never })).toMatchObject({ finished: { name: 'provision' } });
    expect(done({ name: 'deprovision', order })).toMatchObject({
      finished: { name: 'deprovision' },
      events: [{ reason: 'DeprovisioningComplete', message: 'Image deprovisioning completed' }],
    });
    for (const name of ['adopt', 'delete', 'release'] as const) {
      expect(done({ name, order })).toMatchObject({ finished: { name }, events: [] });
    }
    expect(record(host, { name: 'register', order: { bmc: {} } as never }, { kind: 'done' }, CHANCE)).toBe(host);
  });
  test.each([
    [false, 'soft', 'Host soft powered off'],
    [false, 'hard', 'Host powered off'],
    [true, 'soft', 'Host powered on'],
  ] as const)('of power (%s, %s) says how', (on, mode, message) => {
    expect(toldOf(!on, { on, mode })).toMatchObject([{ message }]);
  });
  test.each([true, false])('of power that did not change (%s) has no Event', (on) => {
    expect(toldOf(on, { on, mode: 'hard' })).toEqual([]);
  });
  test('of a reboot has an Event whatever the power was', () => {
    const rebootFor = ['reboot.metal3.io'];
    expect(toldOf(true, { on: true, mode: 'soft', rebootFor })).toMatchObject([{ reason: 'Reboot' }]);
  });
  test('shows a power fault of the node, and that it is over', () => {
    const faulty = record(
      host,
      { name: 'adopt', order },
      { kind: 'done', node: aNode({ fault: 'power failure' }) },
      CHANCE,
    );
    expect(show(faulty)).not.toEqual(show(host));
    const healed = record(faulty, { name: 'adopt', order }, { kind: 'done', node: aNode() }, CHANCE);
    expect(show(healed)).not.toEqual(show(faulty));
  });
  test('of an adoption is in the list of operations, if Ironic was asked for it', () => {
    const adopt = { name: 'adopt', order } as const;
    const begun = hostEntity.start?.(host, adopt, Date.parse('2026-01-01T00:00:00Z')) ?? host;
    const ending = { ...CHANCE, before: host };
    const ended = (answer: HostOutcome): HostMemory =>
      hostEntity.record(begun, adopt, { kind: 'done', answer }, ending);
    expect(ended({ kind: 'done', node: aNode() }).events).toEqual([]);
    const listed = { reason: 'AdoptionComplete', message: 'Host adopted', onlyListed: true };
    expect(ended({ kind: 'done', node: aNode(), adopted: true }).events).toMatchObject([
      { ...listed, began: '2026-01-01T00:00:00Z' },
    ]);
    expect(ended({ kind: 'failed', message: 'no' }).events).toMatchObject([{ began: '2026-01-01T00:00:00Z' }]);
  });
  test('of deletion is the node being gone, however that came about', () => {
    expect(record(host, { name: 'delete', order }, { kind: 'lost' }, CHANCE)).toMatchObject({
      node: null,
      finished: { name: 'delete' },
    });
  });
});

describe('a task that starts', () => {
  test.each([
    [{ name: 'provision', order: { image: IMAGE } as never }, `Image provisioning started for ${IMAGE.url}`],
    [{ name: 'provision', order: {} as never }, 'Image provisioning started for '],
    [{ name: 'deprovision', order: {} as never }, 'Image deprovisioning started'],
    [{ name: 'inspect', order: {} as never }, 'Hardware inspection started'],
  ] as const)('%j says so', (task, message) => {
    expect(startOf(aHost(), task).events).toMatchObject([{ message }]);
  });
  test.each([
    ['error', true, ['Image deprovisioning restarted']],
    ['clean failed', true, []],
    ['deploy failed', true, ['Image deprovisioning started']],
    ['error', false, ['Image deprovisioning started']],
  ] as const)('deprovision, of a node in %s, retry %s, says %j', (state, retry, messages) => {
    const host = aHost({ state: 'deprovisioning', node: aNode({ state }) });
    const { events } = startOf(host, { name: 'deprovision', order: { retry } as never });
    expect(events.map(({ message }) => message)).toEqual(messages);
  });
  test.each(['register', 'adopt', 'power', 'delete', 'release'] as const)('%s needs no event', (name) => {
    const host = aHost();
    expect(startOf(host, { name, order: {} } as never)).toBe(host);
  });
});

describe('a given up registration', () => {
  test('changes nothing, and one without a node has no Event', () => {
    const host = aHost({ state: 'registering' });
    const task = taskOf(host);
    expect(record(host, task, { kind: 'cancelled' }, CHANCE)).toBe(host);
    expect(record(host, task, { kind: 'done' }, CHANCE)).toBe(host);
  });
  test('of a host with another error ends its history and keeps the error', () => {
    const memory = after(
      aHost({ state: 'available', registration: null, status: { errorType: 'power management error' } }),
      registered(),
    );
    expect(memory.status.errorType).toBe('power management error');
  });
});
