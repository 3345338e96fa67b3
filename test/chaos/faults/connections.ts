import type { Link } from '../link.ts';
import { type Battered, duration, type Fault, lasting, type Server } from './fault.ts';

const broken = (server: Server, how: 'cut' | 'stall', link: Link): Fault => ({
  name: `${how} connections to ${server}`,
  async do({ longestMs }, random) {
    const away = duration(random, longestMs);
    link[how]();
    await lasting(away);
    link.mend();
    return `for ${away} ms`;
  },
});

/** Cuts the connections again and again, each time a moment after they are back. */
const flickering = (server: Server, link: Link): Fault => ({
  name: `connections to ${server} break again and again`,
  async do(_, random) {
    const times = random.between(2, 6);
    for (let at = 0; at < times; at++) {
      link.cut();
      link.mend();
      await lasting(random.between(50, 1_000));
    }
    return `${times} times`;
  },
});

export const connectionFaults = ({ links }: Pick<Battered, 'links'>): readonly Fault[] =>
  [...links].flatMap(([server, link]) => [
    broken(server, 'cut', link),
    broken(server, 'stall', link),
    flickering(server, link),
  ]);
