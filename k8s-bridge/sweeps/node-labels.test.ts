import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import type { LabelOrder } from '../../domain/machine/memory/step.ts';
import { createLabelSweep, type LabelledNode } from './node-labels.ts';

const ROW = 'rack.example.com/row';
const order = (node: string, row: string, cluster = 'test1'): LabelOrder => ({
  cluster: { namespace: 'metal', name: cluster },
  node,
  prefixes: ['rack.example.com'],
  labels: { [ROW]: row },
});

let orders: Map<string, LabelOrder>;
let nodes: Record<string, readonly LabelledNode[] | undefined>;
let told: string[];
let asked: string[];
beforeEach(() => {
  orders = new Map();
  nodes = {};
  told = [];
  asked = [];
});
const begin = () =>
  createLabelSweep({
    orders: () => orders,
    async visitNodes({ name }, _, visit) {
      asked.push(name);
      const found = nodes[name];
      if (found === undefined) throw new Error('nobody answers');
      for (const each of found) visit(each);
    },
    tell: (key) => told.push(key),
    log: pino({ level: 'silent' }),
  });
const node = (name: string, resourceVersion: string, row: string): LabelledNode => ({
  name,
  resourceVersion,
  labels: { [ROW]: row, 'other.example.com/x': 'y' },
});
const { signal } = new AbortController();

describe('a Node with labels that are not those of its host', () => {
  test('is signalled once, until it changes again', async () => {
    const { sweep, driftOf } = begin();
    orders.set('metal/m1', order('n1', '7')).set('metal/m2', order('n2', '8'));
    nodes['test1'] = [node('n1', '10', '7'), node('n2', '20', 'by hand')];
    await sweep(signal);
    expect([told, driftOf('metal/m1'), driftOf('metal/m2')]).toEqual([['metal/m2'], undefined, '20']);
    await sweep(signal);
    expect(told).toEqual(['metal/m2']);

    nodes['test1'] = [node('n1', '11', '7'), node('n2', '21', '8')];
    await sweep(signal);
    expect([told, driftOf('metal/m2')]).toEqual([['metal/m2'], '20']);

    nodes['test1'] = [node('n1', '11', '7'), node('n2', '22', 'by hand')];
    await sweep(signal);
    expect([told, driftOf('metal/m2')]).toEqual([['metal/m2', 'metal/m2'], '22']);
  });

  test('is signalled once in a look, however often the API server names it', async () => {
    const { sweep } = begin();
    orders.set('metal/m1', order('n1', '7'));
    nodes['test1'] = [node('n1', '10', ''), node('n1', '11', ''), node('n1', '12', '')];
    await sweep(signal);
    expect(told).toEqual(['metal/m1']);
  });

  test('is forgotten with its machine', async () => {
    const { sweep, driftOf } = begin();
    orders.set('metal/m1', order('n1', '7'));
    nodes['test1'] = [node('n1', '10', '')];
    await sweep(signal);
    orders.clear();
    await sweep(signal);
    expect(driftOf('metal/m1')).toBeUndefined();
  });
});

describe('clusters', () => {
  test('are asked once for all of their machines, and not at all without any', async () => {
    const { sweep } = begin();
    await sweep(signal);
    expect(asked).toEqual([]);
    for (const at of [1, 2, 3]) orders.set(`metal/m${at}`, order(`n${at}`, '7'));
    orders.set('metal/m4', order('n1', '7', 'test2'));
    nodes = { test1: [], test2: [] };
    await sweep(signal);
    expect(asked).toEqual(['test1', 'test2']);
  });

  test('that do not answer keep no other from being looked at', async () => {
    const { sweep } = begin();
    orders.set('metal/m1', order('n1', '7')).set('metal/m2', order('n1', '7', 'test2'));
    nodes['test2'] = [node('n1', '10', '')];
    await sweep(signal);
    expect(told).toEqual(['metal/m2']);
  });
});

test('the labels of many hosts are looked at in many turns of the event loop', async () => {
  let made = 0;
  const madeBefore: number[] = [];
  const { sweep } = createLabelSweep({
    *orders() {
      while (made < 100) {
        made += 1;
        yield [`metal/m${made}`, order(`n${made}`, '7')];
      }
    },
    visitNodes: async () => undefined,
    tell: () => undefined,
    log: pino({ level: 'silent' }),
  });
  setImmediate(() => madeBefore.push(made));
  await sweep(signal);
  expect([madeBefore[0], made]).toEqual([10, 100]);
});
