import { WorkflowUpdateFailedError } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { BareMetalHostSpec } from '../../api/baremetalhost/types.ts';
import { isBefore } from '../../domain/entity/order.ts';
import type { HostSnapshot } from '../../domain/host/memory/snapshot.ts';
import type { MachineSnapshot } from '../../domain/machine/memory/snapshot.ts';
import { messageOf } from '../../domain/message-of.ts';
import { configMapPath, hostPath, objectPath } from '../../kube/paths.ts';
import { type AuditedRequest, auditedRequests, auditLogOf } from '../../lab/control-plane/audit.ts';
import {
  claim,
  entityWorkflowId,
  hostWorkflowId,
  nodeObserved,
  observed,
  release,
  TASK_QUEUE,
  vanished,
  view,
} from '../../workflows/messages.ts';
import { atNight } from '../at-night.ts';
import { aNode } from '../builders/host.ts';
import { kubeconfigOf, ownPlaces, placesWith } from './support/canaries.ts';
import { fixtureHost, fixtureSecret, IMAGE, type TestFixtureLab } from './support/fixture.ts';
import { causesOf, hasDone, isAtRest, lastObserved } from './support/forged.ts';
import { failuresOf, withTemporal } from './support/histories.ts';
import { apply, getHost, type Host, hostIn, hostThat, kubectl, NAMESPACE, secret } from './support/hosts.ts';
import * as metal from './support/machines.ts';
import { FREE, furnishNeighbour, NEIGHBOUR, USED } from './support/neighbour.ts';
import { skipAdmission } from './support/place/admission.ts';
import { joinFixtureLab } from './support/place/join.ts';
import { QUICK_FIXTURE } from './support/place/quick-fixture.ts';

/**
 * Two tenants. The one in the namespace of this file, where no webhook refuses anything, tries to reach what is in the
 * namespace `neighbour`. Whether bridge or workers have touched that, the audit log of the API server says.
 */
const LOOKED_AT = ['baremetalhosts', 'metal3datatemplates'];
const CLUSTER = 'test1';

let lab: TestFixtureLab;
/** The neighbour's hosts before the tries. */
let before: ReadonlyMap<string, Host>;
let began: string;

const neighboursHost = async (name: string): Promise<Host> =>
  (await lab.kube.request({ path: hostPath({ namespace: NEIGHBOUR, name }) })) as Host;

beforeAll(async () => {
  lab = await joinFixtureLab({
    temperEnv: { ...QUICK_FIXTURE, LOG_LEVEL: 'trace' },
    namespaces: [NAMESPACE, NEIGHBOUR],
  });
  await Promise.all([NAMESPACE, NEIGHBOUR].map((namespace) => skipAdmission(lab.kube, namespace)));
  await furnishNeighbour(lab, CLUSTER);
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
        .poll(() => failuresOf(lab, name), metal.PATIENCE)
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

describe('the kubeconfig of a workload cluster', () => {
  const [TOKEN, COMMAND, LINE] = ['canary-token-7be05d', 'canary-command-2f9c61', 'canary-line-d4407a'];
  const saying = () => metal.conditionOf(lab, 'metal3Machine', 'm-node', 'AssociateMetal3MachineMetaData');
  const become = async (value: string, words: string): Promise<void> => {
    await apply(lab, secret(`${CLUSTER}-kubeconfig`, { value }));
    await expect.poll(saying, metal.PATIENCE).toContain(words);
  };
  test('is in no object, Event, history, log or metric, whether it is accepted, refused or can not be read', async () => {
    await become(await kubeconfigOf(lab, { token: TOKEN }), 'refuses our credentials');
    await become(await kubeconfigOf(lab, { exec: { command: COMMAND } }), 'users[0].user.exec is not allowed');
    await become(`apiVersion: v1\n${LINE}: [\n`, 'is invalid');
    const objects = await kubectl(lab, [
      'get',
      'bmh,metal3machines,metal3clusters,events',
      '--namespace',
      NAMESPACE,
      '--output',
      'json',
    ]);
    const places = new Map([['objects', Buffer.from(objects)], ...(await ownPlaces(lab))]);
    expect([...places.keys()].join()).toMatch(/history of metal3machine.*log .*bridge.log/s);
    expect(placesWith(places, `${CLUSTER} is invalid`)).toContain('objects');
    for (const canary of [TOKEN, COMMAND, LINE]) expect(placesWith(places, canary)).toEqual([]);
    await kubectl(lab, ['delete', 'secret', `${CLUSTER}-kubeconfig`, '--namespace', NAMESPACE]);
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

  test.for<[string, (sent: HostSnapshot, provisioning: object) => object, 'at night'?]>([
    ['without its image', ({ spec }) => ({ spec: { ...spec, image: undefined } }), 'at night'],
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
  ])('with a host that is used %s changes nothing on its machine', async ([what, forge, when], { skip }) => {
    if (when === 'at night') atNight(skip, 'test/e2e/tenants.test.ts');
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

  /** The names of all machines of the fixture, one for each registration. */
  const registered = (): Promise<string> =>
    kubectl(lab, ['get', 'configmaps', '--namespace', NAMESPACE, '--output', 'name']);
  const idOfMachine = entityWorkflowId('Metal3Machine', { namespace: NAMESPACE, name });

  test.each([
    ['has vanished', 'registerNode', () => ({ node: null })],
    [
      'waits for a deployment',
      'adoptNode',
      (nodeId: string) => ({ node: aNode({ id: nodeId, state: 'available' }), unused: true as const }),
    ],
  ])('that says that the node of a host that is used %s changes nothing on its machine', async (_, activity, forge) => {
    const host = await asItIs();
    const nodeId = host.status.provisioning.ID;
    const [machine, machines] = [await machineOf(host), await registered()];
    await withTemporal(lab, async ({ workflow }) => {
      const run = workflow.getHandle(id);
      await run.signal(nodeObserved, { uid: host.metadata.uid, nodeId, ...forge(nodeId) });
      await vi.waitUntil(
        async () => (await isAtRest(run, 'provisioned as desired')) && (await hasDone(run, activity)),
        metal.PATIENCE,
      );
    });
    expect((await asItIs()).status.provisioning).toEqual(host.status.provisioning);
    expect(await machineOf(host)).toEqual(machine);
    expect(await registered()).toBe(machines);
  });

  test('that says that a host and its machine have vanished moves nothing, and their runs begin again', async () => {
    const host = await asItIs();
    const [machine, machines] = [await machineOf(host), await registered()];
    const owner = await metal.get(lab, 'metal3Machine', name);
    await withTemporal(lab, async ({ workflow }) => {
      const restarted = async (workflowId: string, uid = ''): Promise<void> => {
        const run = workflow.getHandle(workflowId);
        const { runId } = await run.describe();
        await run.signal(vanished, { uid });
        await vi.waitUntil(async () => {
          const now = await run.describe();
          return now.runId !== runId && now.status.name === 'RUNNING';
        }, metal.PATIENCE);
      };
      await Promise.all([restarted(id, host.metadata.uid), restarted(idOfMachine, owner?.metadata.uid)]);
      await vi.waitUntil(() => isAtRest(workflow.getHandle(id), 'provisioned as desired'), metal.PATIENCE);
    });
    const after = await asItIs();
    expect(after.status.provisioning).toEqual(host.status.provisioning);
    expect([after.spec, after.metadata.finalizers]).toEqual([host.spec, host.metadata.finalizers]);
    expect(await machineOf(host)).toEqual(machine);
    expect(await registered()).toBe(machines);
    const { spec, metadata } = (await metal.get(lab, 'metal3Machine', name)) ?? {};
    expect([spec, metadata?.finalizers]).toEqual([owner?.spec, owner?.metadata.finalizers]);
  });

  test('with what can not be shown keeps no run from going on', async () => {
    const events = ['get', 'events', `--namespace=${NAMESPACE}`, '--output=jsonpath={.items[*].reason}'];
    const ofMachine = `--field-selector=involvedObject.kind=Metal3Machine,involvedObject.name=${name}`;
    await withTemporal(lab, async ({ workflow }) => {
      const run = workflow.getHandle(idOfMachine);
      const { snapshot, order } = await lastObserved<MachineSnapshot>(run);
      // The run takes it in, and the API server refuses what the run would show.
      const forged = { ...snapshot, status: { ...snapshot.status, renderedData: { name: 5 } } };
      await run.signal(observed, { snapshot: forged, order: { ...order, number: order.number + 1 }, anew: true });
      for (const reason of ['WriteRefused', 'WorkflowBegunAnew'])
        await expect.poll(() => kubectl(lab, [...events, ofMachine]), metal.PATIENCE).toContain(reason);
      const shown = async (): Promise<object> => {
        const { behind, status } = (await run.query(view)) ?? {};
        return { behind, renderedData: status?.['renderedData'] };
      };
      await expect.poll(shown, metal.PATIENCE).toEqual({ behind: undefined, renderedData: undefined });
    });
  });
});

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
