import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { z } from 'zod';
import type { Kube } from '../../kube/client.ts';
import { connectTemporal } from '../../platform/temporal/connection.ts';
import { type CpuSeconds, cpuBetween, cpuSoFar } from '../cpu.ts';
import { type HostWatch, watching } from '../host-watch.ts';
import { applyHosts, editHosts } from '../hosts.ts';
import { seconds } from '../spread.ts';
import { type ApiRequests, apiRequestsBetween, apiRequestsSoFar } from './api-requests.ts';
import { countEvents, type EventCount } from './count-events.ts';
import type { FleetLab } from './fleet-lab.ts';
import { readHistories } from './histories.ts';
import { fleetHosts, IMAGE } from './hosts.ts';
import { type Memory, memoryNow } from './memory.ts';

const eventList = z.object({ items: z.array(z.object({ message: z.string() })) });

interface FleetPhase {
  /** From the first request to the API server until the last host shows the state. */
  readonly seconds: number;
  readonly cpu: CpuSeconds;
}

export interface FleetLife {
  readonly available: FleetPhase;
  readonly provisioned: FleetPhase;
  readonly availableAgain: FleetPhase;
  /** All hosts are available and have nothing to do. */
  readonly rest: FleetPhase;
  readonly memory: { readonly atTheEnd: Memory; readonly rested: Memory };
  /** The requests of the three phases. */
  readonly apiRequests: ApiRequests;
  readonly history: EventCount;
}

export interface FleetOptions {
  readonly hosts: number;
  /** Seconds of rest at the end. */
  readonly rest: number;
  readonly say: (line: string) => void;
}

/** A fleet's life in a newly started lab. */
export const runFleet = (lab: FleetLab, options: FleetOptions): Promise<FleetLife> =>
  watching(lab.kubeconfig, (kube, watch) => live(lab, kube, watch, options));

async function live(lab: FleetLab, kube: Kube, watch: HostWatch, options: FleetOptions): Promise<FleetLife> {
  const hosts = fleetHosts(options.hosts);
  const names = hosts.map(({ name }) => name);
  const measured = async (work: () => Promise<number>): Promise<FleetPhase> => {
    const before = await cpuSoFar(lab);
    const began = Date.now();
    const ended = await work();
    return { seconds: seconds(ended - began), cpu: cpuBetween(before, await cpuSoFar(lab)) };
  };
  const phase = async (state: string, act: () => Promise<void>): Promise<FleetPhase> => {
    const result = await measured(async () => (await Promise.all([watch.all(names, state), act()]))[0]);
    options.say(`  all ${state} after ${result.seconds.toFixed(1)} s`);
    return result;
  };

  const requestsBefore = await apiRequestsSoFar(kube);
  const available = await phase('available', () => applyHosts(kube, hosts));
  const provisioned = await phase('provisioned', () => editHosts(kube, hosts, { image: IMAGE }));
  const availableAgain = await phase('available', () => editHosts(kube, hosts, { image: null }));
  const apiRequests = apiRequestsBetween(requestsBefore, await apiRequestsSoFar(kube));
  await mustHaveNoAlarm(kube);
  const atTheEnd = await memoryNow(lab);
  const rest = await measured(async () => {
    await sleep(options.rest * 1_000);
    return Date.now();
  });
  const memory = { atTheEnd, rested: await memoryNow(lab) };
  return { available, provisioned, availableAgain, rest, memory, apiRequests, history: await historyOf(lab) };
}

/** Nothing goes wrong in these lives: a host that is called stuck is a false alarm. */
async function mustHaveNoAlarm(kube: Kube): Promise<void> {
  const path = '/api/v1/events?fieldSelector=reason%3DHostStuck';
  const { items } = eventList.parse(await kube.request({ path }));
  if (items.length > 0) throw new Error(`hosts were called stuck: ${items.map(({ message }) => message).join('; ')}`);
}

/** Read from Temporal, independent of the code of either checkout. */
async function historyOf({ temporalAddress: address, temporalNamespace: namespace }: FleetLab): Promise<EventCount> {
  const connection = await connectTemporal({ address });
  try {
    return countEvents(await readHistories(new Client({ connection, namespace })));
  } finally {
    await connection.close();
  }
}
