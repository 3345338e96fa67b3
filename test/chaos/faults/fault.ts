import type { Journal } from '../journal.ts';
import type { Link } from '../link.ts';
import type { Random } from '../random.ts';

/** The servers that our processes use. */
export type Server = 'kubernetes' | 'temporal' | 'ironic';

/** A lab that suffers faults. */
export interface Battered {
  readonly dir: string;
  readonly services: () => readonly string[];
  readonly kill: (name: string, signal: NodeJS.Signals) => Promise<void>;
  readonly start: (name: string) => Promise<void>;
  /** The links between our processes and the servers. */
  readonly links: ReadonlyMap<Server, Link>;
  /** Folder with the clocks of our processes: see `lab/clock/clock.ts`. */
  readonly clocks: string;
  readonly journal: Journal;
  /** The longest that a fault lasts; ms. */
  readonly longestMs: number;
}

export interface Fault {
  readonly name: string;
  /** Returns when all processes run and all connections are open again, with what was drawn. */
  do(lab: Battered, random: Random): Promise<string>;
}

/** Most faults are short. */
export const duration = (random: Random, longestMs: number): number =>
  random.between(0, random.pick([500, 3_000, 10_000, longestMs].filter((ms) => ms <= longestMs)));

/** The time between a backup and its restore. */
export const meanwhile = (random: Random, { longestMs }: Battered): number => random.between(0, longestMs);

export const lasting = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const SERVERS = ['kube-apiserver', 'etcd', 'ironic'];

export async function kill({ kill: end, journal }: Battered, name: string): Promise<void> {
  await end(name, 'SIGKILL');
  if (SERVERS.includes(name)) journal.note({ kind: 'gap', of: name });
}

/** These servers are killed, and started again in the opposite order after the work. */
export async function whileEnded(lab: Battered, names: readonly string[], act: () => Promise<unknown>): Promise<void> {
  for (const name of names) await kill(lab, name);
  await act();
  for (const name of names.toReversed()) await lab.start(name);
}
