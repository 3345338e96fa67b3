import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { chainOfHost } from '../cli/explain/gather.ts';
import { ownConsumer } from '../domain/host/own-consumer.ts';
import { listed, related } from '../domain/host/report/listed.ts';
import { steeredHost } from '../domain/host/steering/refusal.ts';
import { inheritApprovals } from '../k8s-bridge/bindings/baremetalhost/inherit.ts';
import { consumingMachine, hostsConsumedBy } from '../k8s-bridge/bindings/consumers.ts';
import { KINDS } from '../kube/kinds.ts';
import { readSteeredHost } from '../kube/objects/steered-host.ts';
import { createStore } from '../kube/store.ts';
import { server } from '../test/builders/explained.ts';
import { aHost } from '../test/builders/host.ts';
import { putIn } from '../test/builders/stored-objects.ts';

const ROOT = join(import.meta.dirname, '..');
const FOLDERS = 'api,domain,workflows,activities,workers,k8s-bridge,kube,platform,cli,lab';
/** What reads the namespace of a consumer. */
const READS = /consumer(?:Ref)?\??\.namespace|namespace[^;]*\} = [^;]*consumer(?:Ref)?\b/;

/** These read it otherwise than with `ownConsumer`, and why they may. */
const MAY: Readonly<Record<string, string>> = {
  'domain/host/own-consumer.ts': 'It is the rule.',
  'domain/machine/choose-host/host-facts.ts': 'Compares it with a machine, whose namespace is that of the host.',
  'kube/objects/cluster.ts': 'Compares it with the namespace of the host.',
  'domain/machine/associate/fill.ts': 'Words: who has the host.',
  'domain/machine-api/host-order.ts': 'Words: who has the host.',
  'domain/host/desired/attempt.ts': 'Names an attempt: only equality counts.',
  'k8s-bridge/bindings/baremetalhost/complete.ts': 'Words in the list on the host itself.',
};

test('nothing else than the rule takes the namespace of a consumer', () => {
  const files = globSync(`{${FOLDERS}}/**/*.ts`, { cwd: ROOT }).filter((file) => !file.endsWith('.test.ts'));
  const sources = files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')] as const);
  const others = sources.filter(([, source]) => READS.test(source) && !/\bownConsumer\(/.test(source));
  expect(others.map(([file]) => file).toSorted()).toEqual(Object.keys(MAY).toSorted());
});

test('a consumer without a namespace is one of the host’s own', () => {
  const consumer = { kind: 'Metal3Machine', name: 'm-1' };
  expect(ownConsumer('metal', consumer)).toEqual({ ...consumer, namespace: 'metal' });
  expect(ownConsumer('metal', { ...consumer, namespace: 'metal' })).toEqual({ ...consumer, namespace: 'metal' });
  expect(ownConsumer('metal', { ...consumer, namespace: 'neighbour' })).toBeUndefined();
  expect(ownConsumer('metal', undefined)).toBeUndefined();
});

/** All places in which the consumer of a host counts; what each makes of the consumer in this namespace. */
const PLACES: Readonly<Record<string, (namespace: string) => unknown>> = {
  'what it inherits about approvals, and so the budgets that count it': async (namespace) => {
    const { store, host } = aScene(namespace);
    const patches: unknown[] = [];
    const kube = { patch: (_: string, body: unknown) => Promise.resolve(patches.push(body)) };
    await inheritApprovals(host, { kube, stores: store });
    return patches[0];
  },
  'the machine that looks at it': (namespace) => consumingMachine(aScene(namespace).host)?.name,
  'the hosts of a machine': (namespace) => {
    const machine = { kind: KINDS.metal3Machine, namespace, name: 'm-1' };
    return [...hostsConsumedBy(machine, aScene(namespace).store)][0]?.name;
  },
  'lists of runs by consumer': (namespace) => listed(consumedBy(namespace)).consumer,
  'the link from its run to that of its machine': (namespace) => related(consumedBy(namespace))[0],
  'who switches it on again, for its run': (namespace) => steeredHost(consumedBy(namespace)).machine,
  'who switches it on again, for the bridge': (namespace) => readSteeredHost(aScene(namespace).host.object).machine,
  'the chain that explain looks at': async (namespace) => {
    const api = server();
    await api.put(KINDS.host, 'host-1', aScene(namespace).host.object as object);
    await api.put(KINDS.metal3Machine, 'm-1', {}, namespace);
    return (await chainOfHost(api.reading, { namespace: 'metal', name: 'host-1' }))?.metal3Machine;
  },
};

const consumerIn = (namespace: string) => ({ kind: 'Metal3Machine', name: 'm-1', namespace });
const consumedBy = (namespace: string) =>
  aHost({ state: 'provisioned', seen: { namespace: 'metal', spec: { consumerRef: consumerIn(namespace) } } });

/** A host of the namespace `metal`, whose consumer is a machine of this namespace. */
function aScene(namespace: string) {
  const store = createStore();
  store.markComplete();
  const annotations = { 'temper/approval': 'erase', 'temper/approval-budget': '1' };
  const labels = { 'cluster.x-k8s.io/cluster-name': 'prod' };
  putIn(store, KINDS.metal3Machine, 'm-1', { namespace, metadata: { annotations, labels } });
  putIn(store, KINDS.cluster, 'prod', { namespace, metadata: { annotations } });
  const host = putIn(store, KINDS.host, 'host-1', { spec: { consumerRef: consumerIn(namespace) } });
  return { store, host };
}

describe.each(Object.entries(PLACES))('a consumer counts for %s', (_, seenWith) => {
  test('in the namespace of the host, and in no other', async () => {
    expect(await seenWith('metal')).toBeDefined();
    expect(await seenWith('neighbour')).toBeUndefined();
  });
});
