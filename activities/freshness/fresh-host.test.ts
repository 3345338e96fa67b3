import { describe, expect, test } from 'vitest';
import { REQUEST_ANNOTATION, UNDEPLOYING_ANNOTATION } from '../../api/baremetalhost/values.ts';
import { markText } from '../../domain/ironic/mark.ts';
import type { DeprovisionOrder, ProvisionOrder } from '../../domain/ironic/orders.ts';
import { KubeError } from '../../kube/client.ts';
import { sealImage } from '../../kube/objects/sealed-urls.ts';
import { admittedHost } from '../../test/builders/admission.ts';
import { aNode } from '../../test/builders/host.ts';
import { STALE } from '../../workflows/messages.ts';
import type { IronicActivities, NodeOperations } from '../ironic/activities.ts';
import type { Asking } from '../permits/permit.ts';
import { PermitExpired } from '../permits/withheld.ts';
import { type FreshnessDeps, forFreshHosts } from './fresh-host.ts';

const IMAGE = { url: 'https://me:canary@images/a?sig=canary', checksum: 'https://images/SUMS?sig=canary' };
const UID = 'uid-1';

const nothingWritten = () => Promise.reject(new Error('nothing is to be written'));

/**
 * Asks for a deployment of a host that wants the image; whether it was performed, and the error. `changes`: how the
 * host differs when the activity looks at it for the first, second, … time; it looks as often as there are.
 */
async function deploy(
  image: ProvisionOrder['image'],
  annotations: Readonly<Record<string, string>> = {},
  changes: readonly object[] = [{}],
) {
  const { metadata, ...rest } = admittedHost({ spec: { image: IMAGE } });
  const host = { ...rest, metadata: { ...metadata, uid: UID, annotations }, status: aStatus };
  let looks = 0;
  const find = () => Promise.resolve({ ...host, ...changes[Math.min(looks++, changes.length - 1)] });
  let performed = false;
  const inner = {
    deployNode: () => {
      performed = true;
      return Promise.resolve({ kind: 'started' });
    },
  } as unknown as IronicActivities;
  const call = () => ({ signal: new AbortController().signal });
  const activities = forFreshHosts(inner, {
    kube: { find, patch: nothingWritten },
    call,
    patienceMs: changes.length > 1 ? 60_000 : 0,
  });
  const order = { host: { namespace: 'metal', name: 'host-1', uid: UID }, nodeId: 'n', image } as ProvisionOrder;
  const error: unknown = await activities.deployNode(order).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { performed, error };
}
const aStatus = {
  operationalStatus: 'OK',
  errorMessage: '',
  errorCount: 0,
  poweredOn: false,
  provisioning: { state: 'provisioning', ID: 'n' },
};

describe('a deployment of an image with secrets in its URLs', () => {
  test.each([
    ['the sealed URLs, as the workflow knows them', sealImage(UID, IMAGE)],
    ['the URLs with the secrets, as an older run remembers them', IMAGE],
  ])('is performed for %s', async (_, image) => {
    expect(await deploy(image)).toEqual({ performed: true, error: undefined });
  });

  test.each([
    ['another signature', sealImage(UID, { ...IMAGE, url: IMAGE.url.replace('sig=canary', 'sig=old') })],
    ['another host of this name', sealImage('uid-0', IMAGE)],
    ['the same file without secrets', { ...IMAGE, url: 'https://images/a' }],
  ])('is stale for %s', async (_, image) => {
    expect(await deploy(image)).toMatchObject({ performed: false, error: { type: STALE } });
  });
});

test('a deployment that needs approval is performed if its very wish is approved, and stale otherwise', async () => {
  const image = sealImage(UID, IMAGE);
  const needed = { 'temper/approval': 'erase' };
  const { performed, error } = await deploy(image, needed);
  expect(performed).toBe(false);
  expect(error).toMatchObject({ type: STALE });
  const [code = ''] = /provision-[0-9a-f]{32}/.exec(String(error)) ?? [];
  expect(await deploy(image, { ...needed, 'temper/approval-given': code })).toMatchObject({ performed: true });
  const other = code.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
  expect(await deploy(image, { ...needed, 'temper/approval-given': other })).toMatchObject({ performed: false });
});

test('a deployment is repeated until the status shows it, because then the object alone would have to say so', async () => {
  const status = { ...aStatus, provisioning: { ...aStatus.provisioning, state: 'available' } };
  const { performed, error } = await deploy(sealImage(UID, IMAGE), {}, [{ status }]);
  expect(performed).toBe(false);
  expect(error).toMatchObject({ type: 'NotShown', nonRetryable: false });
  expect(await deploy(sealImage(UID, IMAGE), {}, [{ status }, {}])).toEqual({ performed: true, error: undefined });
});

test('a deployment is performed when the host asks for it a moment later', async () => {
  const before = { spec: { online: true } };
  expect(await deploy(sealImage(UID, IMAGE), {}, [before, {}])).toEqual({ performed: true, error: undefined });
});

test('nothing is performed while baremetal-operator writes the status of the host, too', async () => {
  const { metadata } = admittedHost({ spec: { image: IMAGE } });
  const written = (agoMs: number, manager = 'baremetal-operator') => {
    const time = new Date(Date.now() - agoMs).toISOString();
    const managedFields = [{ manager, operation: 'Update', subresource: 'status', time }];
    return { metadata: { ...metadata, uid: UID, managedFields } };
  };
  const image = sealImage(UID, IMAGE);
  const { performed, error } = await deploy(image, {}, [written(10_000)]);
  expect(performed).toBe(false);
  expect(error).toMatchObject({ type: STALE });
  expect(String(error)).toContain('baremetal-operator has written its status in the last minutes');
  // An old entry, and what a person has written, do not count.
  expect(await deploy(image, {}, [written(3_600_000)])).toMatchObject({ performed: true });
  expect(await deploy(image, {}, [written(10_000, 'kubectl-edit')])).toMatchObject({ performed: true });
});

test('nothing is performed for a host that can not be read', async () => {
  const { performed, error } = await deploy(sealImage(UID, IMAGE), {}, [{ spec: { online: 'perhaps' } }]);
  expect(performed).toBe(false);
  expect(error).toMatchObject({ type: STALE, nonRetryable: true });
});

test('an image whose URL has got another signature is another one, and is undeployed', async () => {
  const { metadata, ...rest } = admittedHost({ spec: { image: IMAGE } });
  const old = { ...IMAGE, url: IMAGE.url.replace('sig=canary', 'sig=old') };
  const status = { ...aStatus, provisioning: { state: 'provisioned', ID: 'n', image: old } };
  const host = { ...rest, metadata: { ...metadata, uid: UID }, status };
  const kube = { find: () => Promise.resolve(host), patch: nothingWritten };
  const call = () => ({ signal: new AbortController().signal });
  const { undeployNode } = forFreshHosts({} as IronicActivities, { kube, call, patienceMs: 0 });
  const order = { host: { namespace: 'metal', name: 'host-1', uid: UID }, nodeId: 'n' } as DeprovisionOrder;
  await expect(undeployNode(order)).rejects.toMatchObject({ type: 'NotShown' });
});

describe('an undeployment of a host that asks for its image again', () => {
  /** What the activity is told about what stays, what is written to the host, and the answer or the error. */
  async function undeploy(
    { state = 'active', annotations = {} }: { readonly state?: string; readonly annotations?: Record<string, string> },
    change: Partial<DeprovisionOrder>,
    refusal?: KubeError,
  ) {
    const { metadata, ...rest } = admittedHost({ spec: { image: OWN } });
    const provisioning = { state: 'deprovisioning', ID: 'n', image: { url: OWN.url } };
    const status = { ...aStatus, provisioning };
    const host = { ...rest, metadata: { ...metadata, uid: UID, resourceVersion: '7', annotations }, status };
    let told: unknown;
    const written: unknown[] = [];
    const node = aNode({ state });
    const inner = {
      undeployNode: (order: DeprovisionOrder) => {
        told = order.askedAgain;
        return Promise.resolve({ kind: state === 'active' ? 'done' : 'started', node });
      },
    } as unknown as IronicActivities;
    const other = { ...host, metadata: { ...host.metadata, uid: 'uid-2' } };
    const kube = {
      find: () => Promise.resolve(refusal?.status === 409 && written.length > 0 ? other : host),
      patch: (path: string, body: unknown) => {
        written.push([path, body]);
        return refusal === undefined ? Promise.resolve({}) : Promise.reject(refusal);
      },
    };
    const call = () => ({ signal: new AbortController().signal });
    const { undeployNode } = forFreshHosts(inner, { kube, call, patienceMs: 0 });
    const { namespace, name } = ORDERED;
    const order = { host: { namespace, name, uid: UID }, nodeId: 'n', image: OWN, retry: false, ...change };
    const answer: unknown = await undeployNode(order as DeprovisionOrder).catch((error: unknown) => error);
    return { told, written, answer };
  }
  const OWN = { url: 'http://images/a.raw', checksum: 'abc' };
  const ORDERED = { namespace: 'metal', name: 'host-1' };
  const STAYS = { desired: { image: OWN }, shown: { url: OWN.url } };
  const begun = { [UNDEPLOYING_ANNOTATION]: 'n' };
  const marked = [
    [
      '/apis/metal3.io/v1alpha1/namespaces/metal/baremetalhosts/host-1',
      { metadata: { uid: UID, resourceVersion: '7', annotations: begun } },
    ],
  ];

  test.each<[string, object]>([
    ['made up what stays', { askedAgain: { desired: {}, shown: { url: '' } } }],
    ['made up that it was begun', { isBegun: true }],
    ['made up the data of what is deployed', { deployedData: { userData: { name: 'other' } } }],
  ])('hears what the object says, also when the order has %s', async (_, made) => {
    const { told, written, answer } = await undeploy({}, made);
    expect(told).toEqual(STAYS);
    expect(written).toEqual([]);
    expect(answer).toMatchObject({ kind: 'done' });
  });

  test('is finished when order and object say that it was begun', async () => {
    expect((await undeploy({ annotations: begun, state: 'deleting' }, { isBegun: true })).told).toBeUndefined();
    expect((await undeploy({ annotations: begun }, {})).told).toEqual(STAYS);
    const made = { isBegun: true as const, askedAgain: STAYS };
    expect((await undeploy({ annotations: begun, state: 'deleting' }, made)).told).toBeUndefined();
    const ofOther = { [UNDEPLOYING_ANNOTATION]: 'another' };
    expect((await undeploy({ annotations: ofOther }, { isBegun: true })).told).toEqual(STAYS);
  });

  test.each([
    ['image', { image: { url: 'http://images/b.raw' } }],
    ['deletion', { isLeaving: true as const }],
  ])('lets a run begin anew that knows of another %s', async (_, change) => {
    expect((await undeploy({}, change)).answer).toMatchObject({ type: STALE, nonRetryable: true });
  });

  test.each(['deleting', 'cleaning', 'clean wait'])('is said to have begun once, when Ironic is %s', async (state) => {
    expect((await undeploy({ state }, {})).written).toEqual(marked);
    expect((await undeploy({ state, annotations: begun }, {})).written).toEqual([]);
    expect((await undeploy({ state: 'deploying' }, {})).written).toEqual([]);
  });

  test.each([
    ['goes on when a policy forbids to say so', 422, { kind: 'started' }],
    ['goes on when the host is another one by now', 409, { kind: 'started' }],
    ['is repeated when the API server does not answer', 0, { name: 'KubeError' }],
  ])('%s', async (_, status, expected) => {
    const refusal = new KubeError('patching it', status, { message: 'no' });
    expect((await undeploy({ state: 'deleting' }, {}, refusal)).answer).toMatchObject(expected);
  });
});

type Name = keyof IronicActivities;

/** Whether each activity reads the host first. The others change nothing at Ironic. */
const READS_HOST: Readonly<Record<Name, boolean>> = {
  registerNode: true,
  startInspection: true,
  prepareNode: true,
  provideNode: true,
  deployNode: true,
  undeployNode: true,
  examineNode: true,
  setPower: true,
  abortNode: true,
  deleteNode: true,
  saveInventory: true,
  explainFailure: false,
  changeMedia: true,
  adoptNode: true,
  busyNodes: false,
  waitForNode: false,
};

/** Calls an activity for a host that does not exist: `performed`, or the type of its failure. */
async function called(name: Name, order: object): Promise<string> {
  let performed = false;
  const perform = (): Promise<object> => {
    performed = true;
    return Promise.resolve({ kind: 'done' });
  };
  const inner = Object.fromEntries(Object.keys(READS_HOST).map((each) => [each, perform]));
  const activities = forFreshHosts(inner as unknown as IronicActivities, {
    kube: { find: () => Promise.resolve(undefined), patch: nothingWritten },
    call: () => ({ signal: new AbortController().signal }),
    patienceMs: 0,
  });
  const asked = { host: { namespace: 'metal', name: 'host-1', uid: UID }, nodeId: 'n', bmc: {}, ...order };
  const activity = activities[name] as (order: object) => Promise<unknown>;
  const failure = await activity(asked).then(
    () => '',
    (error: { readonly type: string }) => error.type,
  );
  return performed ? 'performed' : failure;
}

describe('for a host that does not exist', () => {
  test.each(Object.entries(READS_HOST) as [Name, boolean][])('%s reads the host first: %s', async (name, readsHost) => {
    expect(await called(name, { on: false })).toBe(readsHost ? STALE : 'performed');
  });
});

describe('a request that has its turn', () => {
  const NODE = 'n';
  const order = { host: { namespace: 'metal', name: 'host-1', uid: UID }, nodeId: NODE, image: sealImage(UID, IMAGE) };

  /** Deploys a host that differs at each look as `looks` says; what happened, in order. */
  async function deployed(
    looks: readonly object[],
    refusal?: KubeError,
    { markOfOther, ...more }: Partial<FreshnessDeps> & { readonly markOfOther?: string } = {},
  ) {
    const { metadata, ...rest } = admittedHost({ spec: { image: IMAGE } });
    let annotations = {};
    const happened: string[] = [];
    const withheld: string[] = [];
    let reads = 0;
    const kube = {
      find: () => {
        happened.push('read');
        const host = {
          ...rest,
          metadata: { ...metadata, uid: UID, resourceVersion: '7', annotations },
          status: aStatus,
        };
        return Promise.resolve({ ...host, ...looks[Math.min(reads++, looks.length - 1)] });
      },
      patch: (_: string, body: unknown) => {
        const { metadata: change } = body as { readonly metadata: { [key: string]: unknown } };
        const { resourceVersion } = change;
        const mark = (change['annotations'] as Readonly<Record<string, string | null>>)[REQUEST_ANNOTATION];
        happened.push(`${mark === null ? 'unmark' : 'mark'} at ${String(resourceVersion)}`);
        if (refusal === undefined) annotations = { [REQUEST_ANNOTATION]: markOfOther ?? mark };
        return refusal === undefined ? Promise.resolve({}) : Promise.reject(refusal);
      },
    };
    const operations = {
      deployNode: async (_: ProvisionOrder, asking: Asking) => {
        const permit = await asking.permit({ request: 'active', nodeId: NODE });
        happened.push('request');
        permit.use();
        asking.settle();
        return { kind: 'started' };
      },
    } as unknown as NodeOperations;
    const activities = forFreshHosts(operations, {
      kube,
      call: () => ({ signal: new AbortController().signal }),
      patienceMs: 0,
      onWithheld: (reason) => withheld.push(reason),
      ...more,
    });
    const error: unknown = await activities.deployNode(order as ProvisionOrder).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    return { happened, withheld, error };
  }

  test('is sent after a read of its own, and stands on the host until it is answered', async () => {
    expect(await deployed([{}])).toEqual({
      happened: ['read', 'read', 'mark at 7', 'request', 'read', 'unmark at 7'],
      withheld: [],
      error: undefined,
    });
  });

  test('leaves the mark that another process has written since', async () => {
    const markOfOther = markText({ request: 'active', nodeId: NODE, uid: UID, at: '2026-01-01T00:00:00Z' });
    const { happened } = await deployed([{}], undefined, { markOfOther });
    expect(happened).toEqual(['read', 'read', 'mark at 7', 'request', 'read']);
  });

  test('is not sent when the host does not ask for it any more', async () => {
    const { happened, withheld, error } = await deployed([{}, { spec: { online: true } }]);
    expect(happened).toEqual(['read', 'read', 'read']);
    expect(withheld).toEqual(['not asked']);
    expect(error).toMatchObject({ type: STALE });
  });

  test('is sent with the new settings when these have changed meanwhile', async () => {
    const changed = { spec: { online: true, image: IMAGE, userData: { name: 'other' } } };
    const { happened, withheld, error } = await deployed([{}, changed]);
    expect(happened).toEqual(['read', 'read', 'read', 'read', 'mark at 7', 'request', 'read', 'unmark at 7']);
    expect(withheld).toEqual(['changed']);
    expect(error).toBeUndefined();
  });

  test('is not sent, and counts as withheld, when the process was paused after the read', async () => {
    let wall = 1_000_000;
    const clocks = { wall: () => (wall += 10_000), monotonic: () => 0 };
    const { withheld, error } = await deployed([{}], undefined, { clocks });
    expect(withheld).toEqual(['too old']);
    expect(error).toBeInstanceOf(PermitExpired);
  });

  test('is not sent, and tried again later, when a policy forbids the mark', async () => {
    const denied = new KubeError('patching it', 422, { message: 'denied by policy no-annotations' });
    const { happened, withheld, error } = await deployed([{}], denied);
    expect(happened).toEqual(['read', 'read', 'mark at 7']);
    expect(withheld).toEqual(['no mark']);
    expect(error).toMatchObject({ type: 'NotMarked', nonRetryable: false });
    expect(String(error)).toContain('denied by policy no-annotations');
  });
});
