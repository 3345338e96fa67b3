import { type Battered, duration, type Fault, kill, lasting } from './fault.ts';

const SOLE = ['bridge', 'workers', 'temporal', 'kube-apiserver', 'etcd', 'kube-controller-manager', 'ironic'] as const;

/**
 * Groups of processes that are ended together, because one may hold what another sent; processes that need others come
 * first.
 */
const TOGETHER: readonly (readonly string[])[] = [
  ['bridge', 'workers'],
  ['workers', 'temporal'],
  ['bridge', 'temporal'],
  ['bridge', 'kube-apiserver'],
  ['workers', 'temporal', 'kube-apiserver'],
];

/** Kills processes, and starts them again after a while. */
const killed = (names: readonly string[]): Fault => ({
  name: `kill ${names.join(' and ')}`,
  async do(lab, random) {
    const away = duration(random, lab.longestMs / 4);
    for (const name of names) await kill(lab, name);
    await lasting(away);
    for (const name of names.toReversed()) await lab.start(name);
    return `away for ${away} ms`;
  },
});

/** Stopped as by an overloaded or swapping machine: connections stay open, and nothing answers. */
const stopped = (names: readonly string[]): Fault => ({
  name: `stop ${names.join(' and ')}`,
  async do(lab, random) {
    const away = duration(random, lab.longestMs);
    for (const name of names) await lab.kill(name, 'SIGSTOP');
    await lasting(away);
    for (const name of names) await lab.kill(name, 'SIGCONT');
    return `stopped for ${away} ms`;
  },
});

const run = (lab: Pick<Battered, 'services'>, names: readonly string[]): boolean =>
  names.every((name) => lab.services().includes(name));

/** The faults for the processes of this lab. */
export const processFaults = (lab: Pick<Battered, 'services'>): readonly Fault[] =>
  [...SOLE.map((name) => [name]), ...TOGETHER]
    .filter((names) => run(lab, names))
    .flatMap((names) => [killed(names), stopped(names)]);
