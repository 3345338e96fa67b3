import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Candidate } from '../../domain/machine/choose-host/select-host.ts';
import type { AssociateOrder } from '../../domain/machine/memory/step.ts';
import { takesLonger } from '../../test/builders/cpu-time.ts';
import { aHostFact, CONSUMER } from '../../test/builders/machine.ts';
import { createHostChoice, type HostChoice } from './host-choice.ts';

const hosts = new Map<string, Candidate>();
let told: string[];
let gone: Set<string>;
let ready: boolean;
let choice: HostChoice;
/** The node-reuse label for the machines' MachineSets. */
let label: string | undefined;
let asked: number;
let whileLabelIsAsked: () => unknown;

/** For the machines of one MachineDeployment. */
const KEPT = {
  labels: { 'infrastructure.cluster.x-k8s.io/node-reuse': 'md-workers' },
  consumer: { kind: 'Cluster', name: 'test1', namespace: 'metal' },
};

beforeEach(() => {
  vi.useFakeTimers();
  hosts.clear();
  told = [];
  gone = new Set();
  ready = true;
  label = undefined;
  asked = 0;
  whileLabelIsAsked = () => undefined;
  choice = createHostChoice({
    hostsIn: (namespace) => [...hosts.values()].filter((host) => host.namespace === namespace),
    hostOf: (uid) => hosts.get(uid),
    isReady: () => ready,
    async reuseLabel() {
      asked++;
      await whileLabelIsAsked();
      return label;
    },
    tell: (key) => told.push(key),
    isThere: (key) => !gone.has(key),
    isActive: (key) => !gone.has(key),
    dice: () => 0,
  });
});
afterEach(() => {
  choice.stop();
  vi.useRealTimers();
});

const sizes = (): Record<string, number> =>
  Object.fromEntries(Object.entries(choice.kept).map(([what, size]) => [what, size()]));
/** Changes the host to this from now on. */
function sees(name: string, { abandoned = false, ...change }: Partial<Candidate> = {}): void {
  const before = hosts.get(name);
  const now = { ...aHostFact({ name, uid: name, ...change }), abandoned };
  hosts.set(name, now);
  choice.hostChanged(now, before);
}
const asks = async (name: string, change: Partial<AssociateOrder & { refused: string[] }> = {}): Promise<string> => {
  const order = {
    machine: { namespace: 'metal', name, uid: name, creationTimestamp: '2026-01-01T00:00:00Z' },
    clusterName: 'test1',
    criteria: {},
    owner: {},
    refused: [],
    ...change,
  };
  const answer = await choice.activities.chooseHost(order);
  return answer.kind === 'chosen' ? answer.host.name : answer.kind === 'no host' ? answer.reason : answer.message;
};
const since = (name: string, creationTimestamp: string) => ({
  machine: { namespace: 'metal', name, uid: name, creationTimestamp },
});

describe('machines that ask for hosts at the same time', () => {
  test('get different ones, although none is claimed yet', async () => {
    for (const name of ['a', 'b', 'c']) sees(name);
    expect((await Promise.all(['m1', 'm2', 'm3'].map((name) => asks(name)))).toSorted()).toEqual(['a', 'b', 'c']);
    expect(await asks('m4')).toBe('3 hosts: 3 taken');
  });
  test('get the same one again when they ask again', async () => {
    sees('a');
    expect(await asks('m1')).toBe('a');
    expect(await asks('m1')).toBe('a');
  });
  test('get a host that another has not claimed after half a minute only if there is no other', async () => {
    sees('a');
    expect(await asks('slow')).toBe('a');
    sees('b');
    vi.advanceTimersByTime(30_000);
    expect(await asks('m2')).toBe('b');
    expect(await asks('m3')).toBe('a');
  });
  test('get a reserved host rather than any other, although another has not claimed it yet', async () => {
    label = 'md-workers';
    sees('a', KEPT);
    expect(await asks('slow')).toBe('a');
    sees('b');
    vi.advanceTimersByTime(30_000);
    expect(await asks('m2')).toBe('a');
  });
  test('wait for a reserved host that will be free soon, although another has not claimed it yet', async () => {
    label = 'md-workers';
    sees('a', KEPT);
    expect(await asks('slow')).toBe('a');
    sees('b');
    vi.advanceTimersByTime(30_000);
    sees('a', { ...KEPT, state: 'preparing' });
    expect(await asks('m2')).toContain('host a is reserved for this machine');
  });
  test('get another host than the one that they could not claim for half a minute, if there is one', async () => {
    sees('a');
    expect(await asks('m1')).toBe('a');
    sees('b');
    vi.advanceTimersByTime(30_000);
    expect(await asks('m1')).toBe('b');
  });
  test('get a host at once that a machine had not claimed when it was deleted', async () => {
    sees('a');
    expect(await asks('deleted')).toBe('a');
    sees('b');
    vi.advanceTimersByTime(30_000);
    gone.add('metal/deleted');
    choice.machineGone('metal/deleted');
    expect(sizes()['promised_hosts']).toBe(0);
    expect(await asks('m2')).toBe('a');
  });
  test('get a host that another has not claimed after ten and a half minutes like any other', async () => {
    sees('a');
    expect(await asks('gone')).toBe('a');
    sees('b');
    vi.advanceTimersByTime(630_000);
    expect(sizes()['promised_hosts']).toBe(0);
    expect(await asks('m2')).toBe('a');
  });
  test('get no host that its own workflow just refused', async () => {
    sees('a');
    sees('b');
    expect(await asks('m1')).toBe('a');
    expect(await asks('m1', { refused: ['a'] })).toBe('b');
    expect(await asks('m2')).toBe('2 hosts: 2 taken');
  });
});

describe('a machine that finds no host', () => {
  test('hears of one that becomes free, and gets it before those who come later', async () => {
    sees('a', { state: 'deprovisioning' });
    expect(await asks('m1')).toBe('1 host: 1 not available (deprovisioning)');
    const before = choice.newsOf('metal/m1');
    sees('a');
    expect(told).toEqual(['metal/m1']);
    expect(choice.newsOf('metal/m1')).toEqual({ ...before, count: before.count + 1 });
    expect(await asks('m2')).toBe('1 host: 1 taken');
    expect(await asks('m1')).toBe('a');
  });
  test('hears of it first if it is the oldest that could take it', async () => {
    await asks('young', since('young', '2026-01-03T00:00:00Z'));
    await asks('old', since('old', '2026-01-01T00:00:00Z'));
    const picky = { hostSelector: { matchLabels: { rack: '1' } } };
    await asks('picky', { ...since('picky', '2025-01-01T00:00:00Z'), criteria: picky });
    sees('a');
    expect(told).toEqual(['metal/old']);
    sees('b');
    expect(told).toEqual(['metal/old', 'metal/young']);
    sees('c', { labels: { rack: '1' } });
    expect(told).toEqual(['metal/old', 'metal/young', 'metal/picky']);
  });
  test('keeps no host from others once it is gone', async () => {
    await asks('gone', since('gone', '2026-01-01T00:00:00Z'));
    await asks('young', since('young', '2026-01-03T00:00:00Z'));
    gone.add('metal/gone');
    sees('a');
    expect(told).toEqual(['metal/young']);
    expect(await asks('young')).toBe('a');
  });
  test('hears of nothing that it could not take', async () => {
    await asks('m1');
    sees('a', { consumer: { ...CONSUMER, name: 'other' } });
    sees('b', { namespace: 'other' });
    sees('c', { state: 'provisioning' });
    expect(told).toEqual([]);
  });
  test('hears of a host that was promised to another who never came', async () => {
    sees('a');
    expect(await asks('m1')).toBe('a');
    await asks('m2');
    vi.advanceTimersByTime(29_000);
    expect(told).toEqual([]);
    vi.advanceTimersByTime(1_000);
    expect(told).toEqual(['metal/m2']);
  });
  test('hears of no host that was taken meanwhile', async () => {
    sees('a');
    expect(await asks('m1')).toBe('a');
    await asks('m2');
    sees('a', { consumer: { ...CONSUMER, name: 'm1' } });
    vi.advanceTimersByTime(60_000);
    expect(told).toEqual([]);
  });
  test('hears of a host that another did not want after all', async () => {
    await asks('m1');
    await asks('m2');
    sees('a');
    expect(told).toEqual(['metal/m1']);
    await asks('m1', { criteria: { hostSelector: { matchLabels: { rack: '1' } } } });
    expect(told).toEqual(['metal/m1', 'metal/m2']);
  });
  test('hears of a host that was refused to it, once that is seen to have changed hands', async () => {
    sees('a');
    expect(await asks('m1')).toBe('a');
    expect(await asks('m1', { refused: ['a'] })).toBe('1 host: 1 taken');
    sees('a', { consumer: { ...CONSUMER, name: 'other' } });
    sees('a');
    expect(told).toEqual(['metal/m1']);
  });
  test('is signalled for one that was reserved for it after its search', async () => {
    sees('a', { state: 'deprovisioning', consumer: { ...CONSUMER, name: 'old' } });
    label = 'md-workers';
    expect(await asks('m1')).toBe('1 host: 1 taken');
    label = undefined;
    await asks('elder', since('elder', '2025-01-01T00:00:00Z'));
    sees('a', KEPT);
    expect(told).toEqual(['metal/m1']);
    label = 'md-workers';
    expect(await asks('m1')).toBe('a');
  });
  test('hears of one that is kept for it although another was about to get the only host', async () => {
    sees('b');
    expect(await asks('m1')).toBe('b');
    label = 'md-workers';
    expect(await asks('m2')).toBe('1 host: 1 taken');
    sees('a', KEPT);
    expect(told).toEqual(['metal/m2']);
  });
  test('gets one that becomes its own while its node-reuse label is read', async () => {
    whileLabelIsAsked = () => sees('a', KEPT);
    label = 'md-workers';
    expect(await asks('m1')).toBe('a');
  });
  test('asks again when its node-reuse label can not be read', async () => {
    whileLabelIsAsked = () => Promise.reject(new Error('no answer'));
    label = 'md-workers';
    await expect(asks('m1')).rejects.toThrow('no answer');
    whileLabelIsAsked = () => undefined;
    expect(await asks('m1')).toBe('there are no hosts in this namespace');
    sees('a', KEPT);
    expect(told).toEqual(['metal/m1']);
  });
  test('is forgotten when it is gone, whether it waited, was signalled, or asked meanwhile', async () => {
    const names = Array.from({ length: 2_000 }, (_, at) => `m${at}`);
    await asks('m0');
    sees('a');
    expect(told).toEqual(['metal/m0']);
    for (const name of names.slice(1)) await asks(name);
    expect(sizes()).toMatchObject({ waiting_machines: 1_999, signalled_machines: 1 });
    for (const name of names) {
      gone.add(`metal/${name}`);
      choice.machineGone(`metal/${name}`);
    }
    // Its workflow did not know yet.
    await asks('m1');
    vi.advanceTimersByTime(30_000);
    expect(sizes()).toEqual({ promised_hosts: 0, waiting_machines: 0, signalled_machines: 0 });
  });
  test('is signalled by another bridge in any case', async () => {
    const other = createHostChoice({
      hostsIn: () => [],
      hostOf: () => undefined,
      isReady: () => true,
      reuseLabel: async () => undefined,
      tell: () => undefined,
      isThere: () => true,
      isActive: () => true,
      dice: () => 0,
    });
    expect(other.newsOf('metal/m1')).not.toEqual(choice.newsOf('metal/m1'));
  });
  test('that is invalid gets the reason', async () => {
    const criteria = { hostSelector: { matchExpressions: [{ key: 'a', operator: 'x', values: [] }] } };
    expect(await asks('m1', { criteria })).toContain('operator: Unsupported value: "x": ');
  });
});

test('no machine chooses, or waits, before everything is listed', async () => {
  ready = false;
  sees('a');
  await expect(asks('m1')).rejects.toThrow('not all Clusters and machines are listed yet');
  ready = true;
  expect(await asks('m1')).toBe('a');
});

describe('hosts that are kept', () => {
  test('go to machines of their kind', async () => {
    sees('a', KEPT);
    expect(await asks('m1')).toBe('1 host: 1 reserved for other machines');
    label = 'md-workers';
    expect(await asks('m1')).toBe('a');
  });
  test('can be claimed by any machine once their Cluster is gone, by the label that they have', async () => {
    sees('a', { ...KEPT, abandoned: true });
    label = 'md-others';
    const machine = { namespace: 'metal', name: 'm1', uid: 'm1', creationTimestamp: '2026-01-01T00:00:00Z' };
    const order = { machine, clusterName: 'test2', criteria: {}, owner: {}, refused: [] };
    expect(await choice.activities.chooseHost(order)).toMatchObject({
      kind: 'chosen',
      host: { name: 'a' },
      reuse: 'md-workers',
      viaReuse: false,
    });
  });
  test('are heard of by whoever waits when their Cluster goes', async () => {
    sees('a', KEPT);
    expect(await asks('m1')).toBe('1 host: 1 reserved for other machines');
    sees('a', { ...KEPT, abandoned: true });
    expect(told).toEqual(['metal/m1']);
  });
  test('need no request for a machine that finds a host where there are none', async () => {
    sees('a');
    sees('elsewhere', { namespace: 'other', ...KEPT });
    expect(await asks('m1')).toBe('a');
    expect(asked).toBe(0);
  });
});

describe('machines of another namespace that wait with large selectors', () => {
  const values = Array.from({ length: 4_000 }, (_, at) => `${at}`);
  const hostSelector = { matchExpressions: [{ key: 'rack', operator: 'NotIn', values }] };
  const waits = async (namespace: string): Promise<void> => {
    for (let at = 0; at < 20; at++) {
      const { machine } = since(`m${at}`, '2026-01-01T00:00:00Z');
      const criteria = { hostSelector: structuredClone(hostSelector) };
      expect(await asks(machine.name, { machine: { ...machine, namespace }, criteria })).toMatch(/no hosts|1 host/);
    }
  };

  test('take no time of a host that becomes free', async () => {
    await waits('other');
    expect(takesLonger(() => sees('a'), 5)).toBe(false);
    expect(told).toEqual([]);
  });

  test('are compiled once, and not for each host', async () => {
    sees('a', { labels: { rack: '3999' } });
    await waits('metal');
    expect(takesLonger(() => sees('a', { labels: { rack: '3998' } }), 5)).toBe(false);
    expect(told).toEqual([]);
    sees('b', { labels: { rack: '4000' } });
    expect(told).toEqual(['metal/m0']);
  });
});
