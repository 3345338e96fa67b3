import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BareMetalHost } from '../../../api/baremetalhost/types.ts';
import { aHost, aNode, CHANCE, IMAGE, NOW } from '../../../test/builders/host.ts';
import { objectOf } from '../../../test/builders/host-object.ts';
import { type HostMemory, withShown } from '../memory/memory.ts';
import { absorb } from '../memory/take-in.ts';
import type { Task } from '../memory/task.ts';
import { nextStep } from '../next-step.ts';
import { record, startOf } from '../record.ts';
import { show } from '../report/show.ts';
import type { HostOutcome } from '../step.ts';
import { type HostRequest, objection, tooEarly } from './asked-now.ts';
import { freshDeployment, freshOrder, freshPower, freshPreparation } from './fresh-order.ts';

const OTHER = { ...IMAGE, url: 'http://images/b.raw' };
const DELETED = '2026-01-01T00:00:00Z';

const REQUESTS: Partial<Record<Task['name'], HostRequest['name'] | readonly HostRequest['name'][]>> = {
  register: 'register',
  inspect: 'inspect',
  prepare: 'prepare',
  provision: ['clean', 'deploy'],
  deprovision: 'undeploy',
  power: 'power',
  delete: 'delete',
  detach: 'delete',
};

const requestsOf = (task: Task): readonly HostRequest[] =>
  [REQUESTS[task.name] ?? []].flat().map((name) => ({ name, order: task.order }) as HostRequest);

/** What users do to a host, between its steps. */
const edits: fc.Arbitrary<(memory: HostMemory) => HostMemory> = fc
  .constantFrom<object>(
    { spec: { online: true, image: IMAGE } },
    { spec: { online: true, image: OTHER } },
    { spec: { online: true, customDeploy: { method: 'install' } } },
    { spec: { online: false } },
    { spec: { raid: { hardwareRAIDVolumes: [{ level: '1' }] } } },
    { spec: { rootDeviceHints: { deviceName: '/dev/sdb' }, automatedCleaningMode: 'disabled' } },
    { spec: { bootMode: 'legacy', disablePowerOff: true } },
    { spec: { userData: { name: 'other' }, consumerRef: { name: 'machine-1', namespace: 'metal' } } },
    { annotations: { 'reboot.metal3.io': '' } },
    { annotations: { 'reboot.metal3.io/a': '{"mode":"hard"}' } },
    { annotations: { 'inspect.metal3.io': '' } },
    { annotations: { 'baremetalhost.metal3.io/detached': '{"force":true}' } },
    { annotations: {} },
    { deletionTimestamp: DELETED },
  )
  .map(({ spec, ...rest }: { readonly spec?: object }) => (memory) => {
    const seen = { ...memory.seen, ...rest, spec: { ...memory.seen.spec, ...spec } };
    return absorb(memory, { ...seen, resourceVersion: `${Number(memory.seen.resourceVersion) + 1}` });
  });

const outcomes = fc.constantFrom<'done' | 'failed' | 'lost' | 'cancelled'>(
  'done',
  'done',
  'done',
  'failed',
  'lost',
  'cancelled',
);

function answerTo(task: Task, how: 'done' | 'failed' | 'lost' | 'cancelled'): HostOutcome {
  if (how === 'failed') return { kind: 'failed', message: 'no' };
  if (how !== 'done') return { kind: how };
  if (task.name === 'register')
    return { kind: 'done', node: aNode(), registered: { created: false, credentialsVersion: '90' } };
  if (task.name === 'delete' || task.name === 'detach') return { kind: 'lost' };
  if (task.name === 'power') return { kind: 'done', node: aNode({ poweredOn: task.order.on }) };
  return { kind: 'done', node: aNode({ state: task.name === 'provision' ? 'active' : 'manageable', poweredOn: true }) };
}

interface Planned {
  readonly edit: ((memory: HostMemory) => HostMemory) | null;
  readonly outcome: 'done' | 'failed' | 'lost' | 'cancelled';
}

function freshTask(object: BareMetalHost, { name, order }: Task): unknown {
  if (name === 'power') return freshPower(object, order);
  if (name === 'prepare') return freshPreparation(object, order);
  if (name === 'provision') return freshDeployment(object, order);
  return name === 'register' || name === 'inspect' || name === 'deprovision' ? freshOrder(object, order) : order;
}

/** A request of the workflow of a host, what its object says to it, and the order with the fields of the object. */
interface InLife {
  readonly name: string;
  readonly objection: string | undefined;
  readonly order: unknown;
  readonly fresh: unknown;
}

function requestsInLife(plan: readonly Planned[]): readonly InLife[] {
  const requests: InLife[] = [];
  let memory = aHost({ state: 'registering' });
  let now = NOW;
  for (const { edit, outcome } of plan) {
    if (edit !== null) memory = edit(memory);
    const step = nextStep(memory, now);
    if (step.kind === 'gone') return requests;
    if (step.kind === 'wait') now = step.until ?? now;
    else if (step.kind === 'show') memory = withShown(memory, show(memory));
    else if (step.kind === 'note' || step.kind === 'become') memory = step.memory;
    else {
      const task = step.kind === 'act' ? step.action : step.operation;
      const object = objectOf(memory);
      for (const request of requestsOf(task))
        requests.push({
          name: request.name,
          objection: objection(object, request) ?? tooEarly(object, request),
          order: task.order,
          fresh: freshTask(object, task),
        });
      memory = record(startOf(memory, task), task, answerTo(task, outcome), { ...CHANCE, now });
    }
  }
  return requests;
}

/** The plans take seconds of CPU, and over a minute on a busy computer. */
const PATIENCE_MS = 600_000;

test(
  'a BareMetalHost never objects to a step of its own workflow, nor changes it, once it shows the state of the workflow',
  () => {
    const plans = fc.array(fc.record({ edit: fc.option(edits, { freq: 2 }), outcome: outcomes }), { maxLength: 60 });
    const names = new Set<string>();
    fc.assert(
      fc.property(plans, (plan) => {
        const requests = requestsInLife(plan);
        for (const { name } of requests) names.add(name);
        expect(requests.filter(({ objection }) => objection !== undefined)).toEqual([]);
        expect(requests.map(({ fresh }) => fresh)).toEqual(requests.map(({ order }) => order));
      }),
      { numRuns: 3_000, seed: 20261122 },
    );
    expect([...names].toSorted()).toEqual(
      ['clean', 'delete', 'deploy', 'inspect', 'power', 'prepare', 'register', 'undeploy'].toSorted(),
    );
  },
  PATIENCE_MS,
);
