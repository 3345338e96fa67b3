import { afterEach, describe, expect, test } from 'vitest';
import { type ApiServerOf, apiServerOf } from '../../../test/builders/api-server-of.ts';
import { BEGUN, SICK_HOST_ORDER as ORDER } from '../../../test/builders/remediation.ts';
import { STALE } from '../../../workflows/messages.ts';
import { createRemediationActivities } from './activities.ts';

const KEY = 'reboot.metal3.io/metal3-remediation-r-uid';
const INFRASTRUCTURE = '/apis/infrastructure.cluster.x-k8s.io/v1beta2';
const OVER = { ...ORDER, message: 'not healthy' };

interface Cluster {
  readonly remediation?: object | null;
  readonly status?: object;
  readonly machine?: object;
  readonly host?: object;
  readonly annotations?: object;
  /** The host in the annotation of the Metal3Machine. */
  readonly named?: string;
}

let open: ApiServerOf | undefined;
afterEach(async () => open?.close());
async function activities({ remediation, status, machine, host, annotations, named = 'host-1' }: Cluster = {}) {
  const owner = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', name: 'machine-1', uid: 'm-uid' };
  const machinePath = '/apis/cluster.x-k8s.io/v1beta2/namespaces/metal/machines/machine-1';
  const theMachine = {
    metadata: { namespace: 'metal', name: 'machine-1', uid: 'm-uid', resourceVersion: '3', generation: 2, ...machine },
    spec: { infrastructureRef: { kind: 'Metal3Machine', name: 'm3m-1' } },
    status: {
      conditions: [{ type: 'Available', status: 'True', reason: 'A', message: '', lastTransitionTime: BEGUN }],
      deprecated: { v1beta1: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: BEGUN }] } },
    },
  };
  open = await apiServerOf({
    ...(remediation !== null && {
      [`${INFRASTRUCTURE}/namespaces/metal/metal3remediations/one`]: {
        metadata: { namespace: 'metal', name: 'one', uid: 'r-uid', ownerReferences: [owner], ...remediation },
        status: { phase: 'Running', lastRemediated: BEGUN, ...status },
      },
    }),
    [machinePath]: theMachine,
    [`${machinePath}/status`]: theMachine,
    [`${INFRASTRUCTURE}/namespaces/metal/metal3machines/m3m-1`]: {
      metadata: { namespace: 'metal', name: 'm3m-1', annotations: { 'metal3.io/BareMetalHost': `metal/${named}` } },
    },
    '/apis/metal3.io/v1alpha1/namespaces/metal/baremetalhosts/host-1': {
      metadata: { namespace: 'metal', name: 'host-1', uid: 'h-uid', resourceVersion: '9', annotations, ...host },
      spec: {
        online: true,
        consumerRef: {
          apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
          kind: 'Metal3Machine',
          name: 'm3m-1',
          namespace: 'metal',
        },
      },
    },
  });
  return createRemediationActivities(open.kube);
}
const thrownBy = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a host', () => {
  test('is kept off by an annotation of its remediation, which is written once', async () => {
    await (await activities()).keepHostOff(ORDER);
    expect(open?.patches).toEqual([{ metadata: { resourceVersion: '9', annotations: { [KEY]: '{"mode":"hard"}' } } }]);
    await open?.close();
    const host = await (await activities({ annotations: { [KEY]: '' } })).keepHostOff(ORDER);
    expect([host?.heldBy, open?.patches]).toEqual([[KEY], []]);
  });

  test.each<readonly [string, Cluster]>([
    ['is gone', { remediation: null }],
    ['is another one', { remediation: { uid: 'other' } }],
    ['is being deleted', { remediation: { deletionTimestamp: BEGUN } }],
    ['is paused', { remediation: { annotations: { 'cluster.x-k8s.io/paused': '' } } }],
    ['belongs to another Machine', { remediation: { ownerReferences: [] } }],
    ['waits already', { status: { phase: 'Waiting' } }],
    ['has failed', { status: { phase: 'Failed' } }],
    ['is in a later attempt', { status: { retryCount: 1, lastRemediated: '2026-01-01T00:10:00Z' } }],
    ['has a Machine that is being deleted', { machine: { deletionTimestamp: BEGUN } }],
    ['has a Machine that was created anew', { machine: { uid: 'other' } }],
    ['has a host that is being deleted', { host: { deletionTimestamp: BEGUN } }],
    ['has a host that was created anew', { host: { uid: 'other' } }],
  ])('is not kept off for a remediation that %s', async (_, cluster) => {
    const thrown = await thrownBy((await activities(cluster)).keepHostOff(ORDER));
    expect(thrown).toMatchObject({ type: STALE, nonRetryable: true });
    expect(open?.patches).toEqual([]);
  });

  test('of another namespace is not touched', async () => {
    const order = { ...ORDER, host: { ...ORDER.host, namespace: 'other' } };
    const remediations = await activities();
    expect(await thrownBy(remediations.keepHostOff(order))).toMatchObject({ type: STALE });
    expect(await thrownBy(remediations.letHostOn({ ...order, keys: [KEY] }))).toMatchObject({ type: STALE });
  });

  test('is let go by removing the annotations of remediations, and no others', async () => {
    const annotations = { [KEY]: '', 'reboot.metal3.io/mine': '', 'reboot.metal3.io/metal3-remediation-x': '' };
    const remediations = await activities({ annotations, remediation: null });
    await remediations.letHostOn({
      ...ORDER,
      keys: [KEY, 'reboot.metal3.io/mine', 'reboot.metal3.io/metal3-remediation-gone'],
    });
    expect(open?.patches).toEqual([{ metadata: { resourceVersion: '9', annotations: { [KEY]: null } } }]);
  });
});

describe('a host whose remediation has vanished, as a message says', () => {
  const order = { ...ORDER, vanished: true as const, keys: [KEY] };
  const annotations = { [KEY]: '' };

  test('is not let go while the remediation is there', async () => {
    expect(await thrownBy((await activities({ annotations })).letHostOn(order))).toMatchObject({ type: STALE });
    expect(open?.patches).toEqual([]);
  });

  test.each<readonly [string, Cluster]>([
    ['is gone', { remediation: null }],
    ['was created anew', { remediation: { uid: 'other' } }],
  ])('is let go when it %s', async (_, cluster) => {
    await (await activities({ ...cluster, annotations })).letHostOn(order);
    expect(open?.patches).toEqual([{ metadata: { resourceVersion: '9', annotations: { [KEY]: null } } }]);
  });
});

describe('a Machine', () => {
  test('is handed over in both families of conditions, after its host was marked', async () => {
    await (await activities({ status: { phase: 'Waiting' } })).handOver(OVER);
    const time: unknown = expect.any(String);
    expect(open?.patches).toEqual([
      { metadata: { resourceVersion: '9', annotations: { 'capm3.metal3.io/unhealthy': 'capm3/UnhealthyNode' } } },
      {
        metadata: { resourceVersion: '3' },
        status: {
          conditions: [
            { type: 'Available', status: 'True', reason: 'A', message: '', lastTransitionTime: BEGUN },
            {
              type: 'OwnerRemediated',
              status: 'False',
              reason: 'WaitingForRemediation',
              message: 'not healthy',
              lastTransitionTime: time,
              observedGeneration: 2,
            },
          ],
          deprecated: {
            v1beta1: {
              conditions: [
                { type: 'Ready', status: 'True', lastTransitionTime: BEGUN },
                {
                  type: 'OwnerRemediated',
                  status: 'False',
                  reason: 'WaitingForRemediation',
                  severity: 'Warning',
                  message: 'not healthy',
                  lastTransitionTime: time,
                },
              ],
            },
          },
        },
      },
    ]);
  });

  test.each<readonly [string, Cluster]>([
    ['its host is still kept off', { status: { phase: 'Waiting' }, annotations: { [KEY]: '' } }],
    ['its host is still to be powered off', {}],
    ['its remediation is deleted', { status: { phase: 'Waiting' }, remediation: { deletionTimestamp: BEGUN } }],
    ['its remediation is in another attempt', { status: { phase: 'Waiting', retryCount: 1 } }],
  ])('is not handed over while %s', async (_, cluster) => {
    expect(await thrownBy((await activities(cluster)).handOver(OVER))).toMatchObject({ type: STALE });
    expect(open?.patches).toEqual([]);
  });

  test('is handed over without a host', async () => {
    await (await activities({ named: 'host-2' })).handOver({ ...OVER, host: null });
    expect(open?.patches).toMatchObject([{ status: {} }]);
  });

  test('is not handed over as one without a host while the host that it names exists', async () => {
    const remediations = await activities({ named: 'host-1' });
    expect(await thrownBy(remediations.handOver({ ...OVER, host: null }))).toMatchObject({ type: STALE });
    expect(open?.patches).toEqual([]);
  });
});
