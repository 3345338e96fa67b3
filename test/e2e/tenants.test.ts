import { type WorkflowHandle, WorkflowUpdateFailedError } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { BareMetalHostSpec } from '../../api/baremetalhost/types.ts';
import { isBefore } from '../../domain/entity/order.ts';
import type { Observation } from '../../domain/entity/seen.ts';
import type { HostSnapshot } from '../../domain/host/memory/snapshot.ts';
import { messageOf } from '../../domain/message-of.ts';
import { collectionPath, configMapPath, hostPath, objectPath } from '../../kube/paths.ts';
import { type AuditedRequest, auditedRequests, auditLogOf } from '../../lab/control-plane/audit.ts';
import { claim, hostWorkflowId, observed, release, TASK_QUEUE, view } from '../../workflows/messages.ts';
import { fixtureHost, fixtureSecret, IMAGE, type TestFixtureLab } from './support/fixture.ts';
import { withTemporal } from './support/histories.ts';
import { apply, getHost, type Host, hostIn, hostThat, kubectl, NAMESPACE } from './support/hosts.ts';
import * as metal from './support/machines.ts';
import { skipAdmission } from './support/place/admission.ts';
import { joinFixtureLab, QUICK_FIXTURE } from './support/place/join.ts';

/**
 * Two tenants. The one in the namespace of this file, where no webhook refuses anything, tries to reach what is in the
 * namespace `neighbour`. Whether bridge or workers have touched that, the audit log of the API server says.
 */
const NEIGHBOUR = 'neighbour';
const LOOKED_AT = ['baremetalhosts', 'metal3datatemplates'];
const CLUSTER = 'test1';
const FREE = { namespace: NEIGHBOUR, name: 'free' };
const USED = { namespace: NEIGHBOUR, name: 'used' };

let lab: TestFixtureLab;
/** The neighbour's hosts before the tries. */
let before: ReadonlyMap<string, Host>;
let began: string;

const theirs = (manifest: object): object => {
  const { metadata, ...rest } = manifest as { metadata: object };
  return { ...rest, metadata: { ...metadata, namespace: NEIGHBOUR } };
};
const neighboursHost = async (name: string): Promise<Host> =>
  (await lab.kube.request({ path: hostPath({ namespace: NEIGHBOUR, name }) })) as Host;

/** Whether the host of this run waits for this, and everything of it was written. */
async function isAtRest(run: WorkflowHandle, waitingFor: string): Promise<boolean> {
  const shown = await run.query(view).catch(() => undefined);
  if (shown?.waitingFor !== waitingFor) return false;
  const { raw } = await run.describe();
  return [raw.pendingActivities, raw.pendingChildren].every((pending) => !pending?.length) && !raw.pendingWorkflowTask;
}

async function furnishNeighbour(): Promise<void> {
  const free = theirs(fixtureHost(FREE.name)) as { metadata: object };
  await apply(
    lab,
    ...[FREE.name, USED.name].map((name) => theirs(fixtureSecret(name))),
    { ...free, metadata: { ...free.metadata, labels: { for: 'neighbour' } } },
    theirs(fixtureHost(USED.name, { image: IMAGE })),
    ...['user-data', `${CLUSTER}-kubeconfig`].map((name) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: NEIGHBOUR },
      stringData: { value: 'secret of the neighbour' },
    })),
  );
  await lab.kube.request({
    method: 'POST',
    path: collectionPath(metal.KINDS.metal3DataTemplate, NEIGHBOUR),
    body: {
      apiVersion: metal.KINDS.metal3DataTemplate.apiVersion,
      kind: 'Metal3DataTemplate',
      metadata: { name: 'template' },
      spec: { clusterName: CLUSTER, metaData: { objectNames: [{ key: 'name', object: 'machine' }] } },
    },
  });
  for (const [{ name }, rest] of [
    [FREE, 'waiting for an image in spec.image'],
    [USED, 'provisioned as desired'],
  ] as const)
    await withTemporal(lab, ({ workflow }) => {
      const run = workflow.getHandle(hostWorkflowId({ namespace: NEIGHBOUR, name }));
      return vi.waitUntil(() => isAtRest(run, rest), metal.PATIENCE);
    });
}

beforeAll(async () => {
  lab = await joinFixtureLab({ temperEnv: QUICK_FIXTURE, namespaces: [NAMESPACE, NEIGHBOUR] });
  await Promise.all([NAMESPACE, NEIGHBOUR].map((namespace) => skipAdmission(lab.kube, namespace)));
  await furnishNeighbour();
  await metal.aCluster(lab, CLUSTER);
  // The neighbour has a Secret of this name.
  await kubectl(lab, ['delete', 'secret', `${CLUSTER}-kubeconfig`, '--namespace', NAMESPACE]);
  before = new Map(
    await Promise.all([FREE, USED].map(async ({ name }) => [name, await neighboursHost(name)] as const)),
  );
  began = new Date().toISOString();
});
afterAll(() => lab?.stop());

/** A host of this namespace with its Secret, and what it shows in the end. */
async function tryHost(name: string, spec: Partial<BareMetalHostSpec>, annotations: object = {}): Promise<void> {
  await apply(lab, fixtureSecret(name), fixtureHost(name, spec, annotations));
}
const errorOf = (name: string) => async (): Promise<string | undefined> =>
  (await getHost(lab, name))?.status.errorMessage;
/** Why the operation of the host fails, which is tried again until its Secret is in order. */
const failureOf = (name: string) => () =>
  withTemporal(lab, async ({ workflow }) => {
    const { raw } = await workflow.getHandle(hostWorkflowId({ namespace: NAMESPACE, name })).describe();
    const children = await Promise.all(
      (raw.pendingChildren ?? []).map(({ workflowId }) => workflow.getHandle(workflowId ?? '').describe()),
    );
    const activities = children.flatMap((child) => child.raw.pendingActivities ?? []);
    return activities.map(({ lastFailure }) => lastFailure?.message ?? '').join();
  });
const bmc = (credentialsName: string) => ({
  bmc: { address: 'redfish://192.168.222.1/redfish/v1/Systems/1', credentialsName },
});
const elsewhere = (name: string) => ({ name, namespace: NEIGHBOUR });

describe('a tenant who writes into a BareMetalHost', () => {
  test.each(['userData', 'networkData', 'metaData'] as const)(
    '%s of another namespace gets an error',
    async (field) => {
      const name = field.toLowerCase();
      await tryHost(name, { image: IMAGE, [field]: elsewhere('user-data') });
      await expect
        .poll(failureOf(name), metal.PATIENCE)
        .toContain(`secret must be in same namespace as host ${NAMESPACE}/${name}`);
    },
  );

  test.each([
    ['a namespace and a name', `${NEIGHBOUR}/${FREE.name}-bmc`],
    ['a path', `../../${NEIGHBOUR}/secrets/${FREE.name}-bmc`],
  ])('as name of its Secret %s gets an error', async (what, credentialsName) => {
    const name = what.replaceAll(' ', '-');
    await tryHost(name, bmc(credentialsName));
    await expect.poll(errorOf(name), metal.PATIENCE).toContain('does not exist');
  });

  test('a status with the node of another host gets a node of its own', async () => {
    const { status } = before.get(USED.name) as Host;
    const annotation = { 'baremetalhost.metal3.io/status': JSON.stringify(status) };
    await tryHost('stolen', { image: IMAGE }, annotation);
    const { status: own } = await hostThat(
      lab,
      'stolen',
      'provisioned with its own node',
      (host) =>
        host.status.provisioning.state === 'provisioned' &&
        host.status.provisioning.ID !== status.provisioning.ID &&
        host.status.provisioning.ID !== '',
    );
    expect(own.provisioning.ID).not.toBe(status.provisioning.ID);
    // And erases its own, not the other.
    await lab.kube.request({ method: 'DELETE', path: hostPath({ namespace: NAMESPACE, name: 'stolen' }) });
    await expect.poll(() => getHost(lab, 'stolen'), metal.PATIENCE).toBeUndefined();
  });

  test('a consumer in another namespace gives nobody anything', async () => {
    const { apiVersion, kind } = metal.KINDS.metal3Machine;
    await tryHost('given', {
      consumerRef: { apiVersion, kind, ...elsewhere('machine') },
    } as Partial<BareMetalHostSpec>);
    expect((await hostIn(lab, 'given', 'available')).spec).toMatchObject({ consumerRef: elsewhere('machine') });
  });
});

describe('a tenant who writes into a Metal3Machine', () => {
  const condition =
    (name: string, type = 'AssociateBareMetalHost') =>
    () =>
      metal.conditionOf(lab, 'metal3Machine', name, type);

  test('a selector for a host of another namespace gets no host', async () => {
    await metal.aMachine(lab, CLUSTER, 'selects', { spec: metal.on('neighbour') });
    await expect.poll(condition('selects'), metal.PATIENCE).toContain('no available host found');
  });

  test('the annotation with a host of another namespace gets no host', async () => {
    const annotations = { 'metal3.io/BareMetalHost': `${NEIGHBOUR}/${FREE.name}` };
    await metal.aMachine(lab, CLUSTER, 'annotated', { metadata: { annotations }, spec: metal.on('nowhere') });
    await expect
      .poll(condition('annotated', 'AssociateMetal3MachineMetaData'), metal.PATIENCE)
      .toContain('BareMetalHost not found for machine annotated');
  });

  test.each(['userData', 'metaData', 'networkData'])('%s of another namespace gets an error', async (field) => {
    const name = `m-${field.toLowerCase()}`;
    await metal.aFreeHost(lab, name);
    await metal.aMachine(lab, CLUSTER, name, { spec: { ...metal.on(name), [field]: elsewhere('user-data') } });
    await expect
      .poll(
        async () =>
          (await metal.get(lab, 'metal3Machine', name))?.status.conditions.map(({ message }) => message).join(),
        metal.PATIENCE,
      )
      .toContain('cross-namespace secret reference is not allowed');
  });

  test('a template of data in another namespace gets no data', async () => {
    await metal.aFreeHost(lab, 'm-data');
    await metal.aMachine(lab, CLUSTER, 'm-data', {
      spec: { ...metal.on('m-data'), dataTemplate: elsewhere('template') },
    });
    const seen = await metal.expectToShow(lab, 'metal3DataClaim', 'm-data', {
      spec: { template: elsewhere('template') },
    });
    expect(seen.status).not.toHaveProperty('renderedData');
  });

  test('the name of a cluster whose kubeconfig is in another namespace finds no Node', async () => {
    await metal.aFreeHost(lab, 'm-node');
    await metal.aMachine(lab, CLUSTER, 'm-node', { spec: metal.on('m-node') });
    await hostIn(lab, 'm-node', 'provisioned');
    await expect
      .poll(condition('m-node', 'AssociateMetal3MachineMetaData'), metal.PATIENCE)
      .toContain(`cluster ${CLUSTER} has no kubeconfig yet`);
  });
});

describe('a tenant who writes', () => {
  test('a Metal3DataClaim and a Metal3Data for a template of another namespace gets no data', async () => {
    await metal.create(lab, 'metal3DataClaim', 'claims', { spec: { template: elsewhere('template') } });
    await metal.create(lab, 'metal3Data', 'template-0', {
      metadata: { labels: { 'cluster.x-k8s.io/cluster-name': CLUSTER } },
      spec: { index: 0, template: elsewhere('template'), claim: elsewhere('claims'), metaData: elsewhere('user-data') },
    });
    await metal.expectToShow(lab, 'metal3Data', 'template-0', {
      metadata: { finalizers: expect.anything() as unknown },
    });
  });
});

describe('who forges a message of Temporal', () => {
  test.each([
    ['claims', claim],
    ['releases', release],
  ] as const)('that %s a host for a machine of another namespace is refused', async (_, update) => {
    const { uid } = (before.get(FREE.name) as Host).metadata;
    const order = { host: { ...FREE, uid }, machine: { namespace: NAMESPACE, name: 'selects' }, clusterName: CLUSTER };
    const answer = await withTemporal(lab, (client) =>
      client.workflow.getHandle(hostWorkflowId(FREE)).executeUpdate(update, { args: [order] }),
    ).then(
      () => 'done',
      (error: unknown) =>
        error instanceof WorkflowUpdateFailedError ? messageOf(error.cause) : Promise.reject(error as Error),
    );
    expect(answer).not.toBe('done');
  });

  /** A host that runs what a machine has given it, and its machine in the fixture, of which each change is a new version. */
  const name = 'm-node';
  const id = hostWorkflowId({ namespace: NAMESPACE, name });
  const asItIs = async (): Promise<Host> => hostIn(lab, name, 'provisioned');
  const machineOf = ({ status }: Host): Promise<unknown> =>
    lab.kube.request({ path: configMapPath({ namespace: NAMESPACE, name: status.provisioning.ID }) });

  test('that starts operations of a host that is used changes nothing on its machine', async () => {
    const host = await asItIs();
    const machine = await machineOf(host);
    const order = {
      ...host.spec,
      host: { namespace: NAMESPACE, name, uid: host.metadata.uid },
      nodeId: host.status.provisioning.ID,
      unprepared: true,
      isBegun: true,
      isForced: true,
      retry: true,
    };
    const answers = await withTemporal(lab, ({ workflow }) =>
      Promise.all(
        ['deprovision', 'delete', 'prepare'].map((operation) =>
          workflow
            .execute(`${operation}Workflow`, {
              taskQueue: TASK_QUEUE,
              workflowId: `${id}/${operation}/forged`,
              args: [order],
            })
            .then(() => 'done', causesOf),
        ),
      ),
    );
    expect(answers).toEqual(
      ['it is provisioned as its spec asks', 'it is neither being deleted nor to be detached', 'it is provisioned'].map(
        (why) => expect.stringContaining(`BareMetalHost ${name}: ${why}`) as unknown,
      ),
    );
    expect(await machineOf(await asItIs())).toEqual(machine);
  });

  test.each<[string, (sent: HostSnapshot, provisioning: object) => object]>([
    ['without its image', ({ spec }) => ({ spec: { ...spec, image: undefined } })],
    ['that is being deleted', () => ({ deletionTimestamp: new Date().toISOString() })],
    [
      'without its image, as if its run had lost its memory',
      ({ spec, status }, provisioning) => ({
        spec: { ...spec, image: undefined },
        status: { ...status, provisioning },
      }),
    ],
    [
      'that is losing another image, as if its run had lost its memory',
      ({ status }, provisioning) => ({
        status: { ...status, provisioning: { ...provisioning, state: 'deprovisioning', image: { url: '' } } },
      }),
    ],
  ])('with a host that is used %s changes nothing on its machine', async (what, forge) => {
    const host = await asItIs();
    const machine = await machineOf(host);
    await withTemporal(lab, async ({ workflow }) => {
      const run = workflow.getHandle(id);
      const sent = await lastObserved(run);
      const order = { ...sent.order, number: sent.order.number + 1 };
      const snapshot = { ...sent.snapshot, ...forge(sent.snapshot, host.status.provisioning) };
      const anew = what.includes('memory') && { anew: true as const };
      await run.signal(observed, { snapshot, order, ...anew });
      await vi.waitUntil(async () => {
        const { order: taken, state } = (await run.query(view)) ?? {};
        const isTaken = taken !== undefined && !isBefore(taken, order);
        return isTaken && state === 'provisioned' && (await isAtRest(run, 'provisioned as desired'));
      }, metal.PATIENCE);
    });
    const { status } = await asItIs();
    expect(status.provisioning.image).toEqual(host.status.provisioning.image);
    expect(await machineOf(host)).toEqual(machine);
  });
});

/** The last snapshot that the bridge has sent to a run. */
async function lastObserved(run: WorkflowHandle): Promise<Observation<HostSnapshot>> {
  const { events } = await run.fetchHistory();
  const [payload] = (events ?? [])
    .flatMap(({ workflowExecutionSignaledEventAttributes: signal }) =>
      signal?.signalName === observed.name ? [signal.input?.payloads?.[0]] : [],
    )
    .toReversed();
  if (payload == null) throw new Error('the run has no snapshot in its history');
  return defaultPayloadConverter.fromPayload(payload);
}

function causesOf(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  return cause === undefined ? messageOf(error) : `${messageOf(error)}: ${causesOf(cause)}`;
}

test('nothing of the neighbour was read or changed', async () => {
  const touched: AuditedRequest[] = [];
  for await (const request of auditedRequests(auditLogOf(lab.dir)))
    if (request.time >= began && request.namespace === NEIGHBOUR) touched.push(request);
  // The bridge looks at all objects with workflows, to see whether their runs are well.
  const looks = ({ user, verb, resource }: AuditedRequest): boolean =>
    user.endsWith(':temper-bridge') &&
    (verb !== 'get' ? ['list', 'watch'].includes(verb) : LOOKED_AT.includes(resource));
  expect(touched.filter((request) => !looks(request))).toEqual([]);
  for (const [name, host] of before) expect(await neighboursHost(name)).toEqual(host);
  const template = objectPath(metal.KINDS.metal3DataTemplate, elsewhere('template'));
  expect(await lab.kube.request({ path: template })).not.toHaveProperty('status.indexes');
});
