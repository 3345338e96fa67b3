import { setTimeout as sleep } from 'node:timers/promises';
import type { Kube } from '../kube/client.ts';
import type { ListedMachine } from '../lab/detached/lab-machines.ts';
import { type CpuSeconds, cpuBetween, cpuSoFar, cpuSum } from './cpu.ts';
import { type Arrival, GONE, type HostWatch, watching } from './host-watch.ts';
import { applyHosts, deleteHosts, deleteSecrets, editHosts, labMachineHost } from './hosts.ts';
import type { LifeLab } from './life-lab.ts';
import { countRequests, type RecordedRequest, type RequestCount, takeRequests } from './requests.ts';
import { type Response, timeResponses } from './response.ts';
import { seconds } from './spread.ts';

export interface TemperPhase {
  /** From the first request to the API until the last host shows the state. */
  readonly seconds: number;
  readonly requests: RequestCount;
  readonly cpu: CpuSeconds;
}

export interface TemperLife {
  readonly available: TemperPhase;
  readonly provisioned: TemperPhase;
  readonly availableAgain: TemperPhase;
  readonly gone: TemperPhase;
  readonly requestsPerHost: number;
  /** Requests without the shared list requests. */
  readonly ownRequestsPerHost: number;
  /** CPU time of the complete life, without the idle time. */
  readonly cpu: CpuSeconds;
  /** The hosts are provisioned and have nothing to do. */
  readonly idle?: { readonly seconds: number; readonly requests: RequestCount };
  /** From a change of a BareMetalHost to the first request to Ironic, one host at a time. */
  readonly response?: Response;
}

/** Times of all state changes, to find out where the time went. */
export interface Trace {
  readonly arrivals: readonly Arrival[];
  readonly requests: readonly RecordedRequest[];
}

interface LifeOptions {
  readonly lab: LifeLab;
  readonly machines: readonly ListedMachine[];
  /** Seconds during which the idle provisioned hosts are observed; 0: none. */
  readonly idle: number;
  /** Changes of single hosts whose response time is measured; 0: none. */
  readonly changes: number;
  /**
   * `spec.online` while a host has no image: with true every available host is powered on, which the script does not
   * do.
   */
  readonly onlineWhenParked: boolean;
  readonly say: (line: string) => void;
}

/** Final work of hosts (power, a last status) does not count as idle. */
const SETTLE_MS = 3_000;

/** Makes hosts available and leaves them so. */
export const parkHosts = (lab: LifeLab, machines: readonly ListedMachine[]): Promise<void> =>
  watching(lab.endpoints.kubeconfig, async (kube, watch) => {
    const hosts = machines.map((machine) => labMachineHost(machine, lab.endpoints, { online: false }));
    const names = hosts.map(({ name }) => name);
    await Promise.all([watch.all(names, 'available'), applyHosts(kube, hosts)]);
  });

/** The complete life of all hosts at once, through the Kubernetes API like any user. */
export const runTemper = (options: LifeOptions): Promise<{ readonly life: TemperLife; readonly trace: Trace }> =>
  watching(options.lab.endpoints.kubeconfig, (kube, watch) => live(kube, watch, options));

async function live(
  kube: Kube,
  watch: HostWatch,
  { lab, machines, idle: idleSeconds, changes, onlineWhenParked, say }: LifeOptions,
) {
  const { proxyControl, testImage } = lab.endpoints;
  if (proxyControl === undefined)
    throw new Error('the lab’s proxy counts the requests, and the lab was started without it');
  const names = machines.map(({ name }) => name);
  const all: RecordedRequest[] = [];
  const take = async (): Promise<readonly RecordedRequest[]> => {
    const requests = await takeRequests(proxyControl);
    all.push(...requests);
    return requests;
  };
  const phase = async (act: () => Promise<void>, state: string, settleMs = 0): Promise<TemperPhase> => {
    const before = await cpuSoFar(lab);
    const began = Date.now();
    const [last] = await Promise.all([watch.all(names, state), act()]);
    say(`  ${state} after ${((last - began) / 1_000).toFixed(1)} s`);
    await sleep(settleMs);
    const cpu = cpuBetween(before, await cpuSoFar(lab));
    return { seconds: seconds(last - began), requests: countRequests(await take()), cpu };
  };

  const parked = { online: onlineWhenParked };
  await take();
  const hosts = machines.map((machine) => labMachineHost(machine, lab.endpoints, parked));
  const available = await phase(() => applyHosts(kube, hosts), 'available');
  const deployed = { image: { ...testImage, format: 'raw' }, online: true };
  const settleMs = idleSeconds > 0 ? SETTLE_MS : 0;
  const provisioned = await phase(() => editHosts(kube, machines, deployed), 'provisioned', settleMs);
  await sleep(idleSeconds * 1_000);
  const idle = idleSeconds > 0 ? { seconds: idleSeconds, requests: countRequests(await take()) } : undefined;
  const response = changes > 0 ? await timeResponses({ kube, watch, lab, machines, changes }) : undefined;
  await take();
  const availableAgain = await phase(() => editHosts(kube, machines, { ...parked, image: null }), 'available');
  const gone = await phase(() => deleteHosts(kube, machines), GONE);
  await deleteSecrets(kube, machines);

  const phases = [available, provisioned, availableAgain, gone];
  const perHost = (count: (phase: TemperPhase) => number): number =>
    Number((phases.map(count).reduce((sum, each) => sum + each, 0) / machines.length).toFixed(1));
  const life: TemperLife = {
    available,
    provisioned,
    availableAgain,
    gone,
    requestsPerHost: perHost(({ requests }) => requests.total),
    ownRequestsPerHost: perHost(({ requests }) => requests.total - requests.shared),
    cpu: cpuSum(phases.map(({ cpu }) => cpu)),
    ...(idle !== undefined && { idle }),
    ...(response !== undefined && { response }),
  };
  return { life, trace: { arrivals: watch.arrivals, requests: all } };
}
