import { join } from 'node:path';
import getPort, { clearLockedPorts } from 'get-port';
import { cacheFolder } from '../binaries/cache.ts';
import { tryLock } from './lock.ts';

/** Below every system's range for outgoing connections, so that none of these takes a chosen port before its server. */
const FREE_RANGE = { first: 20_000, last: 32_000 };

/** What a port was used for before comes first, then the number people know, then any that is free. */
export interface PortWish {
  readonly remembered?: number | undefined;
  readonly preferred?: number | undefined;
}

export interface AllocatedPorts<Name extends string> {
  readonly ports: Readonly<Record<Name, number>>;
  /** Lets other labs have them. */
  readonly release: () => void;
}

/**
 * Free loopback ports, one a name and no two alike, each kept from other labs of this user until it is released: a
 * server may come to its port long after that was chosen.
 */
export async function allocatePorts<Name extends string>(
  wishes: Readonly<Record<Name, PortWish>>,
  folder: string = join(cacheFolder(process.env), 'ports'),
): Promise<AllocatedPorts<Name>> {
  // A lab that stopped a moment ago in this process gets its own ports back.
  clearLockedPorts();
  const kept: (() => void)[] = [];
  const release = (): void => {
    for (const letGo of kept.splice(0)) letGo();
  };
  const keep = async (candidates: Iterable<number>): Promise<number> => {
    for (const port of candidates) {
      const lock = tryLock(join(folder, String(port)));
      if (lock.kind === 'taken') continue;
      if ((await getPort({ host: '127.0.0.1', port })) === port) {
        kept.push(() => lock.release());
        return port;
      }
      lock.release();
    }
    throw new Error(`no free port between ${FREE_RANGE.first} and ${FREE_RANGE.last}`);
  };
  try {
    const ports: Partial<Record<Name, number>> = {};
    for (const name of Object.keys(wishes) as Name[]) {
      const { remembered, preferred } = wishes[name];
      const known = [remembered, preferred].filter((port) => port !== undefined);
      ports[name] = await keep([...known, ...anyPorts()]);
    }
    return { ports: ports as Record<Name, number>, release };
  } catch (error) {
    release();
    throw error;
  }
}

function anyPorts(): number[] {
  const span = FREE_RANGE.last - FREE_RANGE.first;
  return Array.from({ length: 200 }, () => FREE_RANGE.first + Math.floor(Math.random() * span));
}
