import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BareMetalHost } from '../../../api/baremetalhost/types.ts';
import { type ProvisioningState, UNDEPLOYING_ANNOTATION } from '../../../api/baremetalhost/values.ts';
import { aHost, aNode, CHANCE, IMAGE, NOW } from '../../../test/builders/host.ts';
import { type HostMemory, withShown } from '../memory/memory.ts';
import { absorb } from '../memory/take-in.ts';
import type { Task } from '../memory/task.ts';
import { nextStep } from '../next-step.ts';
import { record, startOf } from '../record.ts';
import { show } from '../report/show.ts';
import type { HostOutcome } from '../step.ts';
import {
  askedAgain,
  type HostRequest,
  isOfPresentWish,
  isUndeploymentBegun,
  objection,
  tooEarly,
} from './asked-now.ts';

const OTHER = { ...IMAGE, url: 'http://images/b.raw' };
const DELETED = '2026-01-01T00:00:00Z';
const host = { namespace: 'metal', name: 'node-1', uid: 'uid-1' };
const node = { host, nodeId: aNode().id };

interface Change {
  readonly uid?: string;
  readonly annotations?: Record<string, string>;
  readonly deleting?: boolean;
  readonly spec?: Partial<BareMetalHost['spec']>;
  readonly state?: ProvisioningState;
  readonly status?: Partial<BareMetalHost['status']>;
}

const memoryOf = ({ state = 'available', spec, annotations, deleting, uid }: Change): HostMemory =>
  aHost({
    state,
    seen: {
      ...(uid !== undefined && { uid }),
      ...(spec !== undefined && { spec }),
      ...(annotations !== undefined && { annotations }),
      ...(deleting === true && { deletionTimestamp: DELETED }),
    },
  });

/** The object of a host that shows what its workflow has published last. */
function objectOf({ seen }: HostMemory, shown: HostMemory): BareMetalHost {
  const { namespace, name, uid, annotations, deletionTimestamp, spec } = seen;
  return {
    apiVersion: 'metal3.io/v1alpha1',
    kind: 'BareMetalHost',
    metadata: { namespace, name, uid, annotations, ...(deletionTimestamp !== undefined && { deletionTimestamp }) },
    spec,
    status: show(shown).status as BareMetalHost['status'],
  };
}

function anObject(change: Change = {}): BareMetalHost {
  const memory = memoryOf(change);
  const object = objectOf(memory, memory);
  return { ...object, status: Object.assign({}, object.status, change.status) };
}

const order = {
  ...node,
  bmc: memoryOf({}).seen.spec.bmc as HostRequest extends { order: { bmc: infer Bmc } } ? Bmc : never,
};
const requestOf = (name: HostRequest['name'], rest: object = {}): HostRequest =>
  ({ name, order: { ...order, on: false, ...rest } }) as HostRequest;
const provisioned = { image: IMAGE };
const volumes = (level: '0' | '1') => ({ softwareRAIDVolumes: [{ level, rootVolume: false }] });
const withImage = (state: ProvisioningState, image: object = IMAGE): Change => ({
  state,
  spec: { online: true, image: image as typeof IMAGE },
  status: {
    lastAttemptedImage: IMAGE,
    provisioning: { state, ID: node.nodeId, ...(state === 'provisioned' && provisioned) },
  },
});

describe('a BareMetalHost as it is now asks for', () => {
  test.each<[string, HostRequest, Change]>([
    ['the undeployment of an image that it does not want', requestOf('undeploy'), withImage('provisioned', OTHER)],
    ['the end of an undeployment', requestOf('undeploy'), withImage('deprovisioning')],
    ['the undeployment before its deletion', requestOf('undeploy'), { ...withImage('provisioned'), deleting: true }],
    ['the deployment of its image', requestOf('deploy', { image: IMAGE }), withImage('provisioning')],
    ['cleaning before a deployment', requestOf('clean'), withImage('provisioning')],
    [
      'its volumes',
      requestOf('prepare', { unprepared: true, targetRaid: volumes('1') }),
      { state: 'preparing', spec: { online: true, raid: volumes('1') } },
    ],
    [
      'the end of its preparation, whatever it asks for by now',
      requestOf('prepare', { unprepared: false, targetRaid: volumes('1') }),
      { state: 'preparing' },
    ],
    [
      'the deletion of software volumes',
      requestOf('prepare', { unprepared: true, targetRaid: { softwareRAIDVolumes: [] } }),
      { state: 'preparing', status: { provisioning: { state: 'preparing', ID: node.nodeId, raid: volumes('1') } } },
    ],
    ['power off', requestOf('power'), { state: 'provisioned', spec: { online: false } }],
    [
      'a reboot',
      requestOf('power', { on: true, rebootFor: ['reboot.metal3.io/a'] }),
      { ...withImage('provisioned'), annotations: { 'reboot.metal3.io/a': '' } },
    ],
    ['its detachment', requestOf('delete'), { annotations: { 'baremetalhost.metal3.io/detached': '' } }],
    ['its deletion', requestOf('delete'), { deleting: true }],
    ['access to its BMC', requestOf('register'), {}],
  ])('%s', (_, request, change) => {
    expect(objection(anObject(change), request)).toBeUndefined();
  });
});

describe('a BareMetalHost as it is now objects to', () => {
  test.each<[string, HostRequest, Change, string]>([
    [
      'the erasure of what it wants',
      requestOf('undeploy'),
      withImage('provisioned'),
      'it is provisioned as its spec asks',
    ],
    [
      'the end of its deployment',
      requestOf('undeploy'),
      withImage('provisioning'),
      'it is being provisioned as its spec asks',
    ],
    [
      'the erasure of what others have installed',
      requestOf('undeploy'),
      { state: 'externally provisioned', deleting: true },
      'nothing is deployed on it: it is externally provisioned',
    ],
    ['cleaning while its image runs', requestOf('clean'), withImage('provisioned'), 'it is provisioned'],
    [
      'the deployment of an image that was wanted once',
      requestOf('deploy', { image: OTHER }),
      withImage('provisioning'),
      'its spec asks for another deployment',
    ],
    [
      'a deployment with the data of another machine',
      requestOf('deploy', { image: IMAGE, userData: { name: 'other' } }),
      withImage('provisioning'),
      'its spec names other data for the deployment',
    ],
    [
      'a deployment over its image',
      requestOf('deploy', { image: IMAGE }),
      withImage('provisioned'),
      'it is provisioned',
    ],
    [
      'a deployment while it is being deleted',
      requestOf('deploy', { image: IMAGE }),
      { ...withImage('provisioning'), deleting: true },
      'it is being deleted',
    ],
    [
      'an inspection while it is being deleted',
      requestOf('inspect'),
      { state: 'inspecting', deleting: true },
      'it is being deleted',
    ],
    [
      'new volumes while it is being deleted',
      requestOf('prepare'),
      { state: 'preparing', deleting: true },
      'it is being deleted',
    ],
    [
      'cleaning while it is being deleted',
      requestOf('clean'),
      { ...withImage('provisioning'), deleting: true },
      'it is being deleted',
    ],
    ['cleaning for nothing', requestOf('clean'), { state: 'available' }, 'its spec asks for no deployment'],
    ['a deployment of nothing', requestOf('deploy'), { state: 'available' }, 'its spec asks for no deployment'],
    [
      'cleaning of what others have installed',
      requestOf('clean'),
      { state: 'available', spec: { online: true, image: IMAGE, externallyProvisioned: true } },
      'it is externally provisioned',
    ],
    ['an inspection while its image runs', requestOf('inspect'), withImage('provisioned'), 'it is provisioned'],
    ['new volumes while its image runs', requestOf('prepare'), withImage('provisioned'), 'it is provisioned'],
    [
      'volumes that it wanted once',
      requestOf('prepare', { unprepared: true, targetRaid: volumes('0') }),
      { state: 'preparing', spec: { online: true, raid: volumes('1') } },
      'its spec asks for other volumes',
    ],
    [
      'volumes that it never wanted',
      requestOf('prepare', { unprepared: true, targetRaid: volumes('0') }),
      { state: 'preparing' },
      'its spec asks for other volumes',
    ],
    ['power off', requestOf('power'), withImage('provisioned'), 'it asks to be powered on'],
    [
      'a reboot that it does not ask for any more',
      requestOf('power', { on: true, rebootFor: ['reboot.metal3.io/a'] }),
      withImage('provisioned'),
      'it asks for no reboot',
    ],
    ['its removal', requestOf('delete'), {}, 'it is neither being deleted nor to be detached'],
    [
      'sending its credentials elsewhere',
      requestOf('register', { bmc: { address: 'redfish://elsewhere', credentialsName: 'node-1-bmc' } }),
      {},
      'it names another BMC, or other Secrets',
    ],
    [
      'anything meant for another one of its name',
      requestOf('undeploy'),
      { uid: 'other' },
      'it is another one of this name, with uid other',
    ],
  ])('%s', (_, request, change, why) => {
    expect(objection(anObject(change), request)).toBe(why);
  });

  test('anything when it is gone', () => {
    expect(objection(undefined, requestOf('delete'))).toBe('it does not exist');
  });
});

describe('a request for which a BareMetalHost asks is too early', () => {
  test.each<[string, HostRequest, Change, ProvisioningState]>([
    ['to deploy', requestOf('deploy', { image: IMAGE }), withImage('available'), 'provisioning'],
    ['to undeploy', requestOf('undeploy'), withImage('provisioned', OTHER), 'deprovisioning'],
    ['to undeploy a failed deployment', requestOf('undeploy'), withImage('provisioning', OTHER), 'deprovisioning'],
    ['to change volumes', requestOf('prepare'), withImage('inspecting'), 'preparing'],
  ])('%s, until its status says so', (_, request, change, state) => {
    const host = anObject(change);
    expect(objection(host, request)).toBeUndefined();
    expect(tooEarly(host, request)).toBe(`its status does not show '${state}' yet`);
    expect(tooEarly(anObject({ ...change, state, status: {} }), request)).toBeUndefined();
  });

  test.each<HostRequest['name']>(['register', 'inspect', 'clean', 'power', 'delete'])('never to %s', (name) => {
    expect(tooEarly(anObject(withImage('available')), requestOf(name))).toBeUndefined();
  });
});

describe('a BareMetalHost that is being deprovisioned', () => {
  const leaving = (spec: object, provisioning: object = provisioned): Change => ({
    state: 'deprovisioning',
    spec: { online: true, ...spec },
    status: { provisioning: { state: 'deprovisioning', ID: node.nodeId, ...provisioning } },
  });
  const byMethod = { customDeploy: { method: 'install' } };

  test('asks for what its spec says, beside what its status shows', () => {
    const cloudInit = { name: 'cloud-init', namespace: 'metal' };
    expect(askedAgain(anObject(leaving({ image: IMAGE, userData: cloudInit }, { image: OTHER })))).toEqual({
      wish: { image: IMAGE, userData: cloudInit },
      shown: { url: OTHER.url },
    });
    expect(askedAgain(anObject(leaving(byMethod, byMethod)))).toEqual({
      wish: byMethod,
      shown: { url: '', method: 'install' },
    });
  });

  test.each<[string, Change]>([
    ['it is being deleted', { ...leaving({ image: IMAGE }), deleting: true }],
    ['it is still provisioned', withImage('provisioned')],
  ])('asks for nothing when %s', (_, change) => {
    expect(askedAgain(anObject(change))).toBeUndefined();
  });

  test('says whether the undeployment of its node was begun; its workflow alone is not believed', () => {
    const { nodeId } = node;
    const begun = anObject({ ...leaving({ image: IMAGE }), annotations: { [UNDEPLOYING_ANNOTATION]: nodeId } });
    const isBegun = true;
    expect(isUndeploymentBegun(begun, { nodeId, isBegun })).toBe(true);
    expect(isUndeploymentBegun(begun, { nodeId })).toBe(false);
    expect(isUndeploymentBegun(begun, { nodeId: 'another', isBegun })).toBe(false);
    expect(isUndeploymentBegun(anObject(leaving({ image: IMAGE })), { nodeId, isBegun })).toBe(false);
  });

  test.each([
    [{ image: IMAGE }, true],
    [{ image: OTHER }, false],
    [{}, false],
    [{ image: IMAGE, customDeployMethod: 'install' }, false],
  ])('has asked for %j: %s', (order, expected) => {
    expect(isOfPresentWish(anObject(leaving({ image: IMAGE })), order)).toBe(expected);
  });
});

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

/** What the workflow of a host requests, with what its object says to it. */
function requestsInLife(plan: readonly Planned[]): readonly { name: string; objection: string | undefined }[] {
  const requests: { name: string; objection: string | undefined }[] = [];
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
      const object = objectOf(memory, memory);
      for (const request of requestsOf(task))
        requests.push({ name: request.name, objection: objection(object, request) ?? tooEarly(object, request) });
      memory = record(startOf(memory, task), task, answerTo(task, outcome), { ...CHANCE, now });
    }
  }
  return requests;
}

/** The plans take seconds of CPU, and over a minute on a busy computer. */
const PATIENCE_MS = 600_000;

test(
  'a BareMetalHost never objects to a step of its own workflow, once it shows the state of the workflow',
  () => {
    const plans = fc.array(fc.record({ edit: fc.option(edits, { freq: 2 }), outcome: outcomes }), { maxLength: 60 });
    const names = new Set<string>();
    fc.assert(
      fc.property(plans, (plan) => {
        const requests = requestsInLife(plan);
        for (const { name } of requests) names.add(name);
        expect(requests.filter((request) => request.objection !== undefined)).toEqual([]);
      }),
      { numRuns: 3_000, seed: 20261122 },
    );
    expect([...names].toSorted()).toEqual(
      ['clean', 'delete', 'deploy', 'inspect', 'power', 'prepare', 'register', 'undeploy'].toSorted(),
    );
  },
  PATIENCE_MS,
);

test('a node is told to abort only while the object asks for that', () => {
  const request = { name: 'abort', order: node } as const;
  expect(objection(anObject({ annotations: { 'temper/abort': '' } }), request)).toBeUndefined();
  expect(objection(anObject(), request)).toBe('nobody asks to abort its operation');
});
