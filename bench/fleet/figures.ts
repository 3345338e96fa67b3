import type { Figure, Figures } from '../compared.ts';
import type { BenchTarget } from '../result.ts';
import type { FleetLife } from './life.ts';

const PHASES = [
  { name: 'apply → available', of: ({ available }: FleetLife) => available },
  { name: 'image set → provisioned', of: ({ provisioned }: FleetLife) => provisioned },
  { name: 'image removed → available', of: ({ availableAgain }: FleetLife) => availableAgain },
] as const;

/** The services whose CPU time has a target. */
const OURS_AND_TEMPORAL = ['temporal', 'bridge', 'workers'];
const SERVERS = ['kube-apiserver', 'etcd'];
/** Our services, whose memory grows with the hosts. */
const OURS = ['bridge', 'workers'];

const CPU_OF_LIFE = 'CPU s, whole life, Temporal, bridge and workers';
const cpuOf = (service: string): string => `CPU s, whole life, ${service}`;
const secondsOf = (phase: string): string => `s, ${phase}`;
const EVENTS = 'Temporal events a host';
const memoryOf = (service: string): string => `MB at the end, ${service}`;

export function figuresOf(life: FleetLife, hosts: number): Figures {
  const figures = new Map<string, number>();
  const phases = PHASES.map(({ name, of }) => ({ name, ...of(life) }));
  const cpu = (services: readonly string[], some: readonly { readonly cpu: FleetLife['rest']['cpu'] }[]): number =>
    some.flatMap(({ cpu: used }) => services.map((service) => used[service] ?? 0)).reduce((sum, each) => sum + each, 0);
  for (const { name, ...phase } of phases) {
    figures.set(secondsOf(name), phase.seconds);
    for (const service of [...OURS_AND_TEMPORAL, ...SERVERS]) {
      figures.set(`CPU s, ${name}, ${service}`, cpu([service], [phase]));
    }
  }
  for (const service of [...OURS_AND_TEMPORAL, ...SERVERS]) figures.set(cpuOf(service), cpu([service], phases));
  figures.set(CPU_OF_LIFE, cpu(OURS_AND_TEMPORAL, phases));
  for (const service of OURS) {
    figures.set(memoryOf(service), life.memory.atTheEnd[service] ?? Number.NaN);
    figures.set(`MB after the rest, ${service}`, life.memory.rested[service] ?? Number.NaN);
  }
  for (const service of [...OURS_AND_TEMPORAL, ...SERVERS]) {
    figures.set(`CPU s, rest of ${Math.round(life.rest.seconds)} s, ${service}`, cpu([service], [life.rest]));
  }
  const requests = Object.values(life.apiRequests).reduce((sum, count) => sum + count, 0);
  figures.set('requests to the API server a host', requests / hosts);
  figures.set(EVENTS, life.history.events / hosts);
  return figures;
}

/** Two runs always differ: up to this factor counts as equal. */
const NOISE = 1.05;

/**
 * Most events of one such life, in the runs of the host and of its operations. 179 were measured on 2026-11-29; every
 * row of a timeline that is shown for people needs some.
 */
const MOST_EVENTS = 200;

/** Events have a bound of their own; all else is compared with the other checkout, and without one has no result. */
export function fleetTargets(figures: readonly Figure[]): readonly BenchTarget[] {
  const wanted = [
    { name: CPU_OF_LIFE, most: 0.7 },
    ...SERVERS.map((service) => ({ name: cpuOf(service), most: NOISE })),
    ...OURS.map((service) => ({ name: memoryOf(service), most: 0.5 })),
    ...PHASES.map(({ name }) => ({ name: secondsOf(name), most: NOISE })),
  ];
  const events = figures.find(({ name }) => name === EVENTS)?.here ?? Number.NaN;
  const bound = {
    name: EVENTS,
    target: `at most ${MOST_EVENTS}`,
    measured: events.toFixed(0),
    met: events <= MOST_EVENTS,
  };
  const ratios = wanted.flatMap(({ name, most }) => {
    const ratio = figures.find((figure) => figure.name === name)?.ratio;
    if (ratio === undefined) return [];
    const { median } = ratio;
    const target = `at most ${most.toFixed(2)} times the other`;
    return [{ name, target, measured: `${median.toFixed(2)} times`, met: median <= most }];
  });
  return [bound, ...ratios];
}
