import { describe, expect, test } from 'vitest';
import type { BareMetalHost } from '../../api/baremetalhost/types.ts';
import { sealUrl } from '../../kube/objects/sealed-urls.ts';
import { admittedHost } from '../../test/builders/admission.ts';
import { anOrder } from '../../test/builders/node.ts';
import { STALE } from '../../workflows/messages.ts';
import type { IronicActivities, NodeOperations } from '../ironic/activities.ts';
import type { Asking } from '../permits/permit.ts';
import { forFreshHosts } from './fresh-host.ts';

const UID = 'uid-1';
const HOST = '/apis/metal3.io/v1alpha1/namespaces/metal/baremetalhosts/host-1';
const BUILT = '/apis/metal3.io/v1alpha1/namespaces/metal/preprovisioningimages/host-1';
const MEDIUM = '/apis/metal3.io/v1alpha1/namespaces/metal/dataimages/host-1';
const bmc = { address: 'redfish://10.0.0.1/redfish/v1/Systems/1', credentialsName: 'secret' };
const image = { url: 'http://images/a.raw', checksum: 'abc' };

interface World {
  readonly spec?: Partial<BareMetalHost['spec']>;
  readonly state?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  /** What its status shows as deployed. */
  readonly deployed?: object;
  /** The status of the PreprovisioningImage of the host. */
  readonly built?: object;
  /** The DataImage of the host, and whether it is being deleted. */
  readonly medium?: { readonly url: string; readonly isLeaving?: boolean };
}

/** The order that an activity gets from the wrapper, or the type of its failure, and the objects that were read. */
async function told(
  name: 'registerNode' | 'startInspection' | 'prepareNode' | 'deployNode' | 'undeployNode' | 'setPower' | 'changeMedia',
  order: object,
  { spec, state = 'available', annotations = {}, deployed, built, medium }: World = {},
) {
  const { metadata, status, ...rest } = admittedHost({ spec: { bmc, ...spec }, state });
  const provisioning = { ...status?.provisioning, ...deployed };
  const host = { ...rest, metadata: { ...metadata, uid: UID, annotations }, status: { ...status, provisioning } };
  const objects = new Map<string, object | undefined>([
    [HOST, host],
    [
      BUILT,
      built && { metadata: { name: 'host-1', namespace: 'metal', uid: 'i', resourceVersion: '1' }, status: built },
    ],
  ]);
  const own = { name: 'host-1', namespace: 'metal', uid: 'd', resourceVersion: '1' };
  const leaving = { ...own, deletionTimestamp: '2026-01-01T00:00:00Z' };
  if (medium) objects.set(MEDIUM, { metadata: medium.isLeaving ? leaving : own, spec: { url: medium.url } });
  const read: string[] = [];
  let performed: unknown;
  const perform = (asked: unknown): Promise<object> => {
    performed = asked;
    return Promise.resolve({ kind: 'done', node: { state: 'available' } });
  };
  const activities = forFreshHosts({ [name]: perform } as unknown as IronicActivities, {
    kube: {
      find: (path) => {
        read.push(path);
        return Promise.resolve(objects.get(path));
      },
      patch: () => Promise.reject(new Error('nothing is to be written')),
    },
    call: () => ({ signal: new AbortController().signal }),
    patienceMs: 0,
  });
  const activity = activities[name] as (order: object) => Promise<unknown>;
  const failure = await activity({
    ...anOrder({ nodeId: 'n', bmc: { ...bmc, disableCertificateVerification: false } }),
    retry: false,
    ...order,
  }).then(
    () => undefined,
    ({ type }: { readonly type: string }) => type,
  );
  return { order: performed, failure, read };
}

describe('what an order says of a host counts only as far as the host says it:', () => {
  test.each<[string, Parameters<typeof told>, object]>([
    [
      'a registration cleans',
      ['registerNode', { automatedCleaningMode: 'disabled' }],
      { automatedCleaningMode: 'metadata' },
    ],
    [
      'an inspection is done by the agent',
      ['startInspection', { inspectionMode: 'fast' }],
      { inspectionMode: 'agent' },
    ],
    [
      'a preparation knows the root disk',
      [
        'prepareNode',
        { rootDeviceHints: { wwn: 'other' } },
        { spec: { rootDeviceHints: { wwn: 'w' } }, state: 'preparing' },
      ],
      { rootDeviceHints: { wwn: 'w' } },
    ],
    [
      'a deployment writes the image with its checksum',
      [
        'deployNode',
        { image: { ...image, checksum: 'made up', ociAuthSecretName: 'any', format: 'live-iso' } },
        { spec: { image }, state: 'provisioning' },
      ],
      { image },
    ],
    [
      'a deployment has the data of the host',
      [
        'deployNode',
        { image, userData: { name: 'of another machine' } },
        { spec: { image, userData: { name: 'own' } }, state: 'provisioning' },
      ],
      { image, userData: { name: 'own' } },
    ],
    [
      'an undeployment cleans',
      ['undeployNode', { automatedCleaningMode: 'disabled' }, { state: 'deprovisioning' }],
      { automatedCleaningMode: 'metadata' },
    ],
  ])('%s', async (_, [name, order, world], expected) => {
    const asked = await told(name, order, world);
    expect(asked).toMatchObject({ failure: undefined, order: expected, read: [HOST] });
  });

  test('an undeployment leaves the disks uncleaned if the host wants that', async () => {
    const world = { spec: { automatedCleaningMode: 'disabled' as const }, state: 'deprovisioning' };
    expect((await told('undeployNode', {}, world)).order).toMatchObject({ automatedCleaningMode: 'disabled' });
  });

  test('an undeployment knows what the status shows as deployed, whatever the order says', async () => {
    const made = { isShown: true };
    const nothing = await told('undeployNode', made, { state: 'deprovisioning' });
    expect(nothing.order).not.toHaveProperty('isShown');
    for (const deployed of [{ image }, { customDeploy: { method: 'install' } }])
      expect((await told('undeployNode', {}, { state: 'deprovisioning', deployed })).order).toMatchObject(made);
  });

  test('powering off ends no cleaning', async () => {
    const { order } = await told('setPower', { on: false, cleaningDisabled: true }, { spec: { online: false } });
    expect(order).toMatchObject({ on: false });
    expect(order).not.toHaveProperty('cleaningDisabled');
  });

  test.each([
    ['does not check the certificate of the BMC is refused', {}, true],
    ['checks it although the host does not want that is begun anew', { disableCertificateVerification: true }, false],
  ])('a registration that %s', async (_, change, disableCertificateVerification) => {
    const order = { bmc: { ...bmc, disableCertificateVerification } };
    const world = { spec: { bmc: { ...bmc, ...change } } };
    expect(await told('registerNode', order, world)).toMatchObject({ order: undefined, failure: STALE });
  });

  test('a preparation that changes firmware is refused', async () => {
    const firmwareUpdates = [{ component: 'bios', url: 'http://evil/bios' }];
    const { order, failure } = await told('prepareNode', { unprepared: true, firmwareUpdates }, { state: 'preparing' });
    expect({ order, failure }).toEqual({ order: undefined, failure: STALE });
  });

  test('new volumes need approval, also when the order names a BMC that nobody knows', async () => {
    const raid = { hardwareRAIDVolumes: [{ level: '1' as const }] };
    const order = { unprepared: true, targetRaid: raid, bmc: { address: 'odd://' } };
    const world = { spec: { raid }, state: 'preparing', annotations: { 'temper/approval': 'erase' } };
    expect((await told('prepareNode', order, world)).failure).toBe(STALE);
    expect((await told('prepareNode', order, { ...world, annotations: {} })).order).toMatchObject({ bmc });
  });
});

describe('the image of the deploy agent', () => {
  const iso = { format: 'iso', url: 'http://images/agent.iso' };
  const status = { format: 'iso', imageUrl: iso.url };
  const ramdisk = { format: 'initrd', url: 'http://images/a?sig=canary', kernelUrl: 'http://images/k?sig=canary' };
  const sealed = { ...ramdisk, url: sealUrl(UID, ramdisk.url), kernelUrl: sealUrl(UID, ramdisk.kernelUrl) };
  const signed = { format: 'initrd', imageUrl: ramdisk.url, kernelUrl: ramdisk.kernelUrl };
  const register = (agent: object | null, built?: object) =>
    told('registerNode', { agentImage: { image: agent, required: true } }, { ...(built && { built }) });

  test.each<[string, object, object]>([
    ['is that of its PreprovisioningImage', iso, status],
    ['may have secrets, of which its workflow does not know', sealed, signed],
    ['may have secrets that an older run remembers', ramdisk, signed],
    ['may have parameters', { ...iso, extraKernelParams: 'quiet' }, { ...status, extraKernelParams: 'quiet' }],
  ])('%s', async (_, agent, built) => {
    const { order, failure, read } = await register(agent, built);
    expect(failure).toBeUndefined();
    expect(order).toMatchObject({ agentImage: { image: agent } });
    expect(read).toEqual([HOST, BUILT]);
  });

  test.each<[string, object, object | undefined]>([
    ['another URL', { ...iso, url: 'http://evil/agent.iso' }, status],
    ['another signature', { ...sealed, url: sealUrl(UID, `${ramdisk.url}-old`) }, signed],
    ['another kernel', { ...sealed, kernelUrl: 'http://evil/kernel' }, signed],
    ['other parameters', { ...iso, extraKernelParams: 'init=/bin/sh' }, status],
    ['an image that is not built yet', iso, {}],
    ['no PreprovisioningImage', iso, undefined],
  ])('is refused for a host with %s', async (_, agent, built) => {
    expect(await register(agent, built)).toMatchObject({ order: undefined, failure: STALE });
  });

  test('that Ironic has is kept without a look at the PreprovisioningImage', async () => {
    expect(await register(null)).toMatchObject({ failure: undefined, read: [HOST] });
  });
});

describe('the medium of the virtual drive', () => {
  const iso = 'http://images/a.iso';
  const signed = 'http://images/a.iso?sig=canary';
  const change = (desired: string | null, medium?: World['medium']) =>
    told('changeMedia', { desired, attached: '', requested: null }, medium && { medium });

  test.each<[string, string | null, World['medium'] | undefined]>([
    ['is that of its DataImage', iso, { url: iso }],
    ['may have secrets, of which its workflow does not know', sealUrl(UID, signed), { url: signed }],
    ['is taken out when there is no DataImage', '', undefined],
    ['is taken out when the DataImage is being deleted', '', { url: iso, isLeaving: true }],
    ['is looked at, whatever the DataImage says', null, { url: iso }],
  ])('%s', async (_, desired, medium) => {
    expect(await change(desired, medium)).toMatchObject({ failure: undefined, order: { desired } });
  });

  test.each<[string, string, World['medium'] | undefined]>([
    ['for a host without DataImage', 'http://evil/a.iso', undefined],
    ['when the DataImage names another one', 'http://evil/a.iso', { url: iso }],
    ['when the DataImage has another signature by now', sealUrl(UID, `${signed}-old`), { url: signed }],
    ['when the DataImage is being deleted', iso, { url: iso, isLeaving: true }],
    ['when it is to be taken out, and the DataImage asks for it', '', { url: iso }],
  ])('is refused %s', async (_, desired, medium) => {
    expect(await change(desired, medium)).toMatchObject({ failure: STALE, order: undefined });
  });

  test('is looked for after its insertion, although its DataImage is gone by now: otherwise nobody would know of it', async () => {
    const inserted = await told('changeMedia', { desired: iso, attached: iso, requested: 'attach' });
    expect(inserted).toMatchObject({ failure: undefined, order: { desired: iso } });
  });

  test('is not taken out because of an insertion that is made up', async () => {
    const madeUp = await told(
      'changeMedia',
      { desired: '', attached: '', requested: 'attach' },
      { medium: { url: iso } },
    );
    expect(madeUp).toMatchObject({ failure: STALE, order: undefined });
  });
});

test('what is read and written with a place at Ironic does not wait for the rate limit of the process', async () => {
  const { metadata, ...rest } = admittedHost({ spec: { bmc, image }, state: 'provisioning' });
  const own = { ...metadata, uid: UID, resourceVersion: '1' };
  const requests: string[] = [];
  const kube = (limit: string) => ({
    find: () => {
      requests.push(`${limit} read`);
      return Promise.resolve({ ...rest, metadata: own });
    },
    patch: () => {
      requests.push(`${limit} write`);
      return Promise.resolve({ metadata: own });
    },
  });
  const deployNode = async (_: unknown, asking: Asking): Promise<object> => {
    await asking.permit({ request: 'active', nodeId: 'n' });
    return { kind: 'done', node: { state: 'active' } };
  };
  const activities = forFreshHosts({ deployNode } as unknown as NodeOperations, {
    kube: kube('limited'),
    urgent: kube('urgent'),
    call: () => ({ signal: new AbortController().signal }),
    patienceMs: 0,
  });
  await activities.deployNode({ ...anOrder({ nodeId: 'n' }), image, retry: false } as never);
  expect(requests).toEqual(['limited read', 'urgent read', 'urgent write']);
});
