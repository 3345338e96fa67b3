import { describe, expect, test } from 'vitest';
import { compared } from '../compared.ts';
import { figuresOf, fleetTargets } from './figures.ts';
import type { FleetLife } from './life.ts';

const phase = (temporal: number): FleetLife['rest'] => ({
  seconds: 10,
  cpu: { temporal, bridge: 1, workers: 2, 'kube-apiserver': 3, etcd: 1, bench: 50 },
});
const life = (temporal: number, bridge = 600): FleetLife => ({
  available: phase(temporal),
  provisioned: phase(temporal),
  availableAgain: phase(temporal),
  rest: phase(0),
  memory: { atTheEnd: { bridge, workers: 1_000 }, rested: { bridge, workers: 900 } },
  apiRequests: { 'GET baremetalhosts': 30, 'POST events': 10 },
  history: { runs: 8, events: 500, kinds: {} },
});

const CPU = 'CPU s, whole life, Temporal, bridge and workers';

describe('the figures of a fleet', () => {
  test('are those of all phases but the rest, without the benchmark itself', () => {
    const figures = figuresOf(life(4), 2);
    expect(figures.get(CPU)).toBe(3 * (4 + 1 + 2));
    expect(figures.get('CPU s, whole life, kube-apiserver')).toBe(9);
  });

  test('tell requests and events of one host', () => {
    const figures = figuresOf(life(4), 2);
    expect(figures.get('requests to the API server a host')).toBe(20);
    expect(figures.get('Temporal events a host')).toBe(250);
  });
});

describe('two checkouts', () => {
  const figuresWith = (...temporal: readonly number[]) => temporal.map((each) => figuresOf(life(each), 2));

  test('are compared within a round, however fast the machine was in it', () => {
    const cpu = compared(figuresWith(4, 18), figuresWith(11, 39)).find(({ name }) => name === CPU);
    expect(cpu).toEqual({ name: CPU, here: 42, other: 84, ratio: { min: 0.5, median: 0.5, max: 0.5 } });
  });

  test('meet a target or miss it by the median of the ratios', () => {
    const here = [figuresOf(life(4, 300), 2)];
    const other = [figuresOf(life(11, 600), 2)];
    const verdicts = fleetTargets(compared(here, other)).map(({ name, met }) => [name, met]);
    expect(verdicts).toContainEqual([CPU, true]);
    expect(verdicts).toContainEqual(['MB at the end, bridge', true]);
    expect(verdicts).toContainEqual(['MB at the end, workers', false]);
  });

  test('are not needed: alone a checkout has figures, of which the events of a host have a bound', () => {
    const alone = compared(figuresWith(4), []);
    expect(alone.find(({ name }) => name === CPU)).toEqual({ name: CPU, here: 21 });
    const bound = { name: 'Temporal events a host', target: 'at most 200' };
    expect(fleetTargets(alone)).toEqual([{ ...bound, measured: '250', met: false }]);
    const lean = [figuresOf({ ...life(4), history: { runs: 8, events: 358, kinds: {} } }, 2)];
    expect(fleetTargets(compared(lean, []))).toEqual([{ ...bound, measured: '179', met: true }]);
  });
});
