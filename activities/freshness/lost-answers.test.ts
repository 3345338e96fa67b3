import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { BareMetalHost } from '../../api/baremetalhost/types.ts';
import { REQUEST_ANNOTATION } from '../../api/baremetalhost/values.ts';
import { sealImage } from '../../kube/objects/sealed-urls.ts';
import { admittedHost } from '../../test/builders/admission.ts';
import { anOrder } from '../../test/builders/node.ts';
import { type ObjectsInMemory, objectsInMemory } from '../../test/builders/objects-in-memory.ts';
import { type ScriptedActivities, scriptActivities } from '../../test/builders/scripted-activities.ts';
import { type Answer, aNodeAnswer } from '../../test/builders/scripted-ironic.ts';
import type { IronicActivities } from '../ironic/activities.ts';
import { forFreshHosts } from './fresh-host.ts';

/** A request whose answer is lost is carried out by Ironic later. The host, as it is in the API server, is read by all. */

const UID = 'uid-1';
const NODE = '11111111-1111-4111-8111-111111111111';
const HOSTS = '/apis/metal3.io/v1alpha1/namespaces/metal/baremetalhosts';
const IMAGE = { url: 'http://images/a.raw', checksum: 'abc' };
const ORDER = { ...anOrder({ nodeId: NODE }), retry: false } as const;
const DEPLOY = { ...ORDER, image: sealImage(UID, IMAGE) };
/** A node that runs what the host asks for. */
const DEPLOYED = {
  provision_state: 'active',
  instance_uuid: UID,
  instance_info: {
    image_source: IMAGE.url,
    image_os_hash_algo: 'md5',
    image_os_hash_value: IMAGE.checksum,
    temper_deployment: { image: IMAGE.url, customDeployMethod: '' },
  },
};
/** The longest time in which Ironic begins with a request. */
const LONGEST_MS = 2 * 60_000;

let objects: ObjectsInMemory;
let node: Record<string, unknown>;
/** What Ironic answers to a change; it shows its nodes in any case. */
let answer: Answer;
const open: ScriptedActivities[] = [];

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  objects = objectsInMemory();
  node = { provision_state: 'available', automated_clean: true };
  answer = { status: 202 };
  const { metadata, status, ...rest } = admittedHost({ name: 'host-1', spec: { image: IMAGE }, state: 'provisioning' });
  const body = { ...rest, metadata: { ...metadata, uid: UID, annotations: {} } };
  await objects.kube.request({ method: 'POST', path: HOSTS, body });
  await shows({ ...status, lastAttemptedImage: IMAGE });
});
afterEach(async () => {
  vi.useRealTimers();
  for (const script of open.splice(0)) await script.close();
});

const shows = (status: object): Promise<unknown> => objects.kube.patch(`${HOSTS}/host-1/status`, { status });
const state = (name: string): Promise<unknown> => shows({ provisioning: { state: name, ID: NODE } });
const asks = (image: BareMetalHost['spec']['image'] | null): Promise<unknown> =>
  objects.kube.patch(`${HOSTS}/host-1`, { spec: { image } });
const passes = (ms: number): void => void vi.setSystemTime(Date.now() + ms);
const markOn = (): string | undefined => {
  const host = objects.all().get(`${HOSTS}/host-1`) as BareMetalHost | undefined;
  const text = host?.metadata.annotations?.[REQUEST_ANNOTATION];
  return text === undefined ? undefined : (JSON.parse(text) as { readonly request: string }).request;
};

/** A process that has nothing but the object and Ironic. */
async function aProcess(): Promise<IronicActivities> {
  const now = (): Answer => {
    const request = script.ironic.requests.at(-1) ?? '';
    return request.startsWith('PUT') ? answer : { status: 200, body: aNodeAnswer(node) };
  };
  const script = await scriptActivities([now]);
  open.push(script);
  const call = () => ({ signal: new AbortController().signal });
  return forFreshHosts(script.operations, { kube: objects.kube, call, patienceMs: 0 });
}
const requested = (): readonly unknown[] =>
  open.flatMap((script) =>
    script
      .asked()
      .filter(([request]) => request.startsWith('PUT'))
      .map(([, body]) => (body as { readonly target: string }).target),
  );

/** Sends a request that Ironic does not answer; the process is killed before it notices, or notices it. */
async function loses(how: 'cut' | 'silence', act: (on: IronicActivities) => Promise<unknown>): Promise<void> {
  const before = requested().length;
  answer = how;
  const asking = act(await aProcess()).catch(() => undefined);
  await (how === 'cut' ? asking : vi.waitUntil(() => requested().length > before));
  answer = { status: 202 };
}

describe.each(['cut', 'silence'] as const)('when an answer is lost (%s)', (how) => {
  test('a cancelled deployment is not believed before Ironic can not begin with it any more, and undeployed when it has', async () => {
    await loses(how, (on) => on.deployNode(DEPLOY));
    expect(markOn()).toBe('active');
    await asks(null);
    await state('deprovisioning');

    const next = await aProcess();
    await expect(next.undeployNode(ORDER)).rejects.toMatchObject({ type: 'IronicBusy', nonRetryable: false });
    passes(LONGEST_MS - 1_000);
    await expect((await aProcess()).undeployNode(ORDER)).rejects.toMatchObject({ type: 'IronicBusy' });
    expect(markOn()).toBe('active');

    // Ironic begins at last.
    node = { ...node, provision_state: 'active', provision_updated_at: new Date().toISOString() };
    expect(await next.undeployNode(ORDER)).toMatchObject({ kind: 'started', node: { state: 'deleting' } });
    expect(requested()).toEqual(['active', 'deleted']);
    expect(markOn()).toBeUndefined();
  });

  test('a cancelled deployment that Ironic never begins with is done after the longest time', async () => {
    await loses(how, (on) => on.deployNode(DEPLOY));
    await asks(null);
    await state('deprovisioning');
    passes(LONGEST_MS);
    expect(await (await aProcess()).undeployNode(ORDER)).toMatchObject({ kind: 'done', node: { state: 'available' } });
    expect(markOn()).toBeUndefined();
    expect(requested()).toEqual(['active']);
  });

  test('an undeployment is not believed to be untouched before Ironic can not begin with it any more', async () => {
    node = { ...node, ...DEPLOYED };
    await asks(null);
    await state('deprovisioning');
    await loses(how, (on) => on.undeployNode(ORDER));
    expect(markOn()).toBe('deleted');

    await asks(IMAGE);
    const next = await aProcess();
    await expect(next.undeployNode(DEPLOY)).rejects.toMatchObject({ type: 'IronicBusy', nonRetryable: false });
    node = { ...node, provision_state: 'cleaning' };
    expect(await next.undeployNode(DEPLOY)).toMatchObject({ kind: 'started', node: { state: 'cleaning' } });
    expect(requested()).toEqual(['deleted']);
  });

  test('an undeployment that Ironic never begins with leaves what the host asks for again', async () => {
    node = { ...node, ...DEPLOYED };
    await asks(null);
    await state('deprovisioning');
    await loses(how, (on) => on.undeployNode(ORDER));
    await asks(IMAGE);
    passes(LONGEST_MS);
    expect(await (await aProcess()).undeployNode(DEPLOY)).toMatchObject({ kind: 'done', node: { state: 'active' } });
    expect(markOn()).toBeUndefined();
    expect(requested()).toEqual(['deleted']);
  });

  test('a deployment that Ironic began all the same is found by a free host, and undeployed', async () => {
    await loses(how, (on) => on.deployNode(DEPLOY));
    // The status is older than the deployment: etcd was restored.
    await asks(null);
    await state('available');
    node = { ...node, provision_state: 'wait call-back', provision_updated_at: new Date().toISOString() };
    const next = await aProcess();
    expect(await next.examineNode(ORDER)).toMatchObject({ kind: 'done', node: { state: 'wait call-back' } });
    expect(markOn()).toBe('active');
    await state('deprovisioning');
    expect(await next.undeployNode(ORDER)).toMatchObject({ kind: 'started', node: { state: 'deleting' } });
    expect(requested()).toEqual(['active', 'deleted']);
    expect(markOn()).toBeUndefined();
  });
});

test('a free host that asks for an image is not examined: its deployment decides', async () => {
  await state('available');
  node = { ...node, provision_state: 'active' };
  await expect((await aProcess()).examineNode(ORDER)).rejects.toMatchObject({ type: 'Stale', nonRetryable: true });
});

test('a deployment that is asked for again after its answer was lost stays, and its mark goes', async () => {
  await loses('cut', (on) => on.deployNode(DEPLOY));
  await state('deprovisioning');
  node = { ...node, ...DEPLOYED };
  expect(await (await aProcess()).undeployNode(DEPLOY)).toMatchObject({ kind: 'done', node: { state: 'active' } });
  expect(markOn()).toBeUndefined();
});

test('a request that is sent for a known deployment, and not answered, is marked until it is settled', async () => {
  await loses('cut', (on) => on.deployNode(DEPLOY));
  node = { ...node, ...DEPLOYED, provision_state: 'wait call-back' };
  await loses('cut', (on) => on.deployNode({ ...DEPLOY, forcedBy: ['reboot.metal3.io'] }));
  expect(requested()).toEqual(['active', 'deleted']);
  expect(markOn()).toBe('deleted');
});

test('a deployment that is found again is known, and its mark goes', async () => {
  await loses('cut', (on) => on.deployNode(DEPLOY));
  node = { ...node, ...DEPLOYED };
  expect(await (await aProcess()).deployNode(DEPLOY)).toMatchObject({ kind: 'done', node: { state: 'active' } });
  expect(markOn()).toBeUndefined();
});
