import { describe, expect, test } from 'vitest';
import { aHost, aNode, aSnapshot, CHANCE, IMAGE } from '../../../test/builders/host.ts';
import { said } from '../../../test/builders/step.ts';
import { desiredBmc } from '../../ironic/node-settings.ts';
import type { HostMemory } from '../memory/memory.ts';
import { absorb } from '../memory/take-in.ts';
import type { Task } from '../memory/task.ts';
import { nextStep } from '../next-step.ts';
import { record } from '../record.ts';
import type { HostOutcome } from '../step.ts';

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
const REGISTERED: HostOutcome = {
  kind: 'done',
  node: aNode(),
  registered: { created: false, credentialsVersion: '91' },
};

/** `spec.bmc` of a host, changed by its user. */
const bmcWith = (change: object) =>
  ({ bmc: { ...aSnapshot().spec.bmc, ...change } }) as { bmc: { address: string; credentialsName: string } };
const CHANGES = [
  { address: 'redfish-virtualmedia+http://127.0.0.1:8000/redfish/v1/Systems/2' },
  { disableCertificateVerification: true },
  { credentialsName: 'other-bmc' },
];
const BEFORE_DEPLOYMENT = ['registering', 'inspecting', 'preparing', 'available'] as const;
const DEPLOYED = ['provisioning', 'provisioned', 'externally provisioned', 'deprovisioning'] as const;

describe.each([...BEFORE_DEPLOYMENT, ...DEPLOYED])('the settings of the BMC, of a host that is %s,', (state) => {
  const spec = state === 'externally provisioned' ? { externallyProvisioned: true } : { image: IMAGE };
  const goodCredentials = { credentials: { name: 'node-1-bmc' }, credentialsVersion: '90' };
  const host = (): HostMemory =>
    aHost({
      state,
      seen: { spec },
      status: { goodCredentials, provisioning: { state, ID: aNode().id, image: IMAGE } },
    });
  const changed = (memory: HostMemory, change: object): HostMemory =>
    absorb(memory, aSnapshot({ resourceVersion: '130', generation: 2, spec: { ...spec, ...bmcWith(change) } }));

  test.each(CHANGES)('are sent at once when %j', (change) => {
    expect(taskOf(changed(host(), change))).toMatchObject({ name: 'register', order: { bmc: change } });
  });

  test.each(CHANGES)('are sent at once when %j, while a registration fails', (change) => {
    const failing = record(
      { ...host(), registration: null },
      taskOf({ ...host(), registration: null }),
      { kind: 'failed', message: 'no route to host', credentialsVersion: '91' },
      CHANCE,
    );
    expect(said(nextStep(failing, CHANCE.now))).toBe('wait');
    expect(taskOf(changed(failing, change))).toMatchObject({ name: 'register', order: { bmc: change, retry: true } });
  });

  test.each([
    ['failed', { kind: 'failed', message: 'no route to host', credentialsVersion: '91' }],
    ['was cancelled', { kind: 'cancelled' }],
  ] as const)('are sent again when the registration with other ones %s and they are as before', (_, outcome) => {
    const other = changed(host(), CHANGES[0] ?? {});
    const ended = record(noted(other), taskOf(other), outcome, CHANCE);
    const back = absorb(ended, aSnapshot({ resourceVersion: '140', generation: 3, spec }));
    expect(taskOf(back)).toMatchObject({ name: 'register', order: { bmc: desiredBmc(back.seen.spec) } });
    const done = record(noted(back), taskOf(back), REGISTERED, CHANCE);
    expect(done.status.errorType).toBeUndefined();
    expect(said(nextStep(noted(done), CHANCE.now))).not.toBe('register');
  });
});
