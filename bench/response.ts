import { setTimeout as sleep } from 'node:timers/promises';
import type { Kube } from '../kube/client.ts';
import type { ListedMachine } from '../lab/detached/lab-machines.ts';
import type { HostWatch } from './host-watch.ts';
import { editHosts } from './hosts.ts';
import type { LifeLab } from './life-lab.ts';
import { type RecordedRequest, takeRequests } from './requests.ts';

/** Milliseconds from a change of a BareMetalHost to the first request to Ironic caused by it. */
export interface Response {
  readonly changes: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

const LOOK_MS = 20;
const PATIENCE_MS = 60_000;

interface ResponseOptions {
  readonly kube: Kube;
  readonly watch: HostWatch;
  readonly lab: LifeLab;
  readonly machines: readonly ListedMachine[];
  readonly changes: number;
}

/** Powers parked hosts off and on, one change at a time, and measures when Ironic gets each request. */
export async function timeResponses(options: ResponseOptions): Promise<Response> {
  const took: number[] = [];
  const isOn = new Map(options.machines.map(({ name }) => [name, true]));
  for (let change = 0; change < options.changes; change++) {
    const machine = options.machines[change % options.machines.length];
    if (machine === undefined) throw new Error('there is no host to change');
    const on = !isOn.get(machine.name);
    isOn.set(machine.name, on);
    took.push(await timeOne(options, machine, on));
  }
  const off = options.machines.filter(({ name }) => !isOn.get(name));
  await Promise.all([options.watch.powered(names(off), true), editHosts(options.kube, off, { online: true })]);
  return percentiles(took);
}

async function timeOne({ kube, watch, lab }: ResponseOptions, machine: ListedMachine, on: boolean): Promise<number> {
  const proxy = lab.endpoints.proxyControl ?? '';
  await takeRequests(proxy);
  const began = Date.now();
  const settled = watch.powered([machine.name], on);
  await editHosts(kube, [machine], { online: on });
  const first = await firstRequest(proxy, began);
  await settled;
  return Date.parse(first.at) - began;
}

async function firstRequest(proxy: string, began: number): Promise<RecordedRequest> {
  for (;;) {
    const [first] = await takeRequests(proxy);
    if (first !== undefined) return first;
    if (Date.now() > began + PATIENCE_MS) throw new Error('Ironic got no request for a change');
    await sleep(LOOK_MS);
  }
}

const names = (machines: readonly ListedMachine[]): readonly string[] => machines.map(({ name }) => name);

/** The nearest-rank percentiles. */
export function percentiles(values: readonly number[]): Response {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
  return { changes: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}
