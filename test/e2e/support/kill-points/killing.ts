import type { Passage } from './gate.ts';
import { type Gates, openGates } from './place.ts';
import { type Operation, playAtPoints, type Stage } from './play.ts';
import type { Played } from './points.ts';
import { createWalk, type Processes } from './walk.ts';

/** A file with kill points: its gates, its hosts, and its operations at their points. */
export interface Killing {
  /** The settings with which bridge and workers talk through the gates. */
  openGates(): Promise<{ readonly bridge: Gates['bridgeEnv']; readonly workers: Gates['workersEnv'] }>;
  /** The passage for the gate of another server. */
  readonly passage: Passage;
  /** The first two hosts do the operations without kills, the others with one each. Prints the points. */
  play(hosts: readonly string[], namesOf: Stage['namesOf'], operations: readonly Operation[]): Promise<Played>;
  close(): Promise<void>;
}

/** All points, and not only as many as there are hosts. */
const ALL = process.env['TEMPER_KILL_POINTS'] === 'all';

/** Names of the hosts: more when all points are played. */
export const namedHosts = (prefix: string, count: { readonly some: number; readonly all: number }): readonly string[] =>
  Array.from({ length: ALL ? count.all : count.some }, (_, index) => `${prefix}${index}`);

export function createKilling(lab: () => Processes): Killing {
  let gates: Gates | undefined;
  const walk = createWalk({
    kill: (name, signal) => lab().kill(name, signal),
    start: (name) => lab().start(name),
  });
  return {
    async openGates() {
      gates = await openGates(walk.passage);
      return { bridge: gates.bridgeEnv, workers: gates.workersEnv };
    },
    passage: walk.passage,
    async play(hosts, namesOf, operations) {
      const cast = { understudies: hosts.slice(0, 2), hosts: hosts.slice(2) };
      const played = await playAtPoints({ walk, namesOf }, operations, cast, ALL ? 'all' : 'some');
      const { killed, missed } = played;
      const list = (points: readonly string[]): string => points.map((point) => `  ${point}\n`).join('');
      const { bridge, workers } = walk.kills;
      process.stdout.write(
        `bridge was killed ${bridge} times, workers ${workers} times, at ${killed.length} points:\n${list(killed)}`,
      );
      process.stdout.write(`${missed.length} points were not reached:\n${list(missed)}`);
      return played;
    },
    close: async () => gates?.close(),
  };
}
