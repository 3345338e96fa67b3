import type { Figure, Figures } from '../compared.ts';
import type { BenchTarget } from '../result.ts';
import type { TemperLife } from '../temper-life.ts';
import type { NodeReads } from './node-reads.ts';

/** A life of Temper on real Ironic. */
export interface IronicLife extends TemperLife {
  readonly nodeReads: NodeReads;
}

const SECONDS_OF_LIFE = 's, whole life';
const OWN_REQUESTS = 'requests to Ironic a host, without shared ones';
const UNREAD = 'disturbing requests without a read of their node before';

export function ironicFigures(life: IronicLife, hosts: number): Figures {
  const { available, provisioned, availableAgain, gone, nodeReads } = life;
  const phases = [
    ['apply → available', available],
    ['image set → provisioned', provisioned],
    ['image removed → available', availableAgain],
    ['deleted → gone', gone],
  ] as const;
  return new Map([
    ...phases.map(([name, { seconds }]) => [`s, ${name}`, seconds] as const),
    ['s, apply → available → provisioned', available.seconds + provisioned.seconds],
    [SECONDS_OF_LIFE, phases.reduce((sum, [, { seconds }]) => sum + seconds, 0)],
    ['requests to Ironic a host', life.requestsPerHost],
    [OWN_REQUESTS, life.ownRequestsPerHost],
    ['reads of single nodes a host', nodeReads.reads / hosts],
    ['disturbing requests a host', nodeReads.disturbing / hosts],
    [UNREAD, nodeReads.disturbing - nodeReads.afterRead],
    ...Object.entries(life.cpu).map(([service, used]) => [`CPU s a host, ${service}`, used / hosts] as const),
  ]);
}

const RATIO = 1.1;
const OWN_REQUESTS_PER_HOST = 16;

export function ironicTargets(figures: readonly Figure[]): readonly BenchTarget[] {
  const figure = (name: string): Figure | undefined => figures.find((one) => one.name === name);
  const atMost = (name: string, most: number): BenchTarget => {
    const { here = Number.NaN } = figure(name) ?? {};
    return { name, target: `at most ${most}`, measured: here.toFixed(1), met: here <= most };
  };
  const ratio = figure(SECONDS_OF_LIFE)?.ratio?.median ?? Number.NaN;
  return [
    {
      name: SECONDS_OF_LIFE,
      target: `at most ${RATIO.toFixed(2)} times the other`,
      measured: `${ratio.toFixed(2)} times`,
      met: ratio <= RATIO,
    },
    atMost(OWN_REQUESTS, OWN_REQUESTS_PER_HOST),
    atMost(UNREAD, 0),
  ];
}
