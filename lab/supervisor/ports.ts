import { join } from 'node:path';
import getPort, { clearLockedPorts } from 'get-port';
import { cacheFolder } from '../cache-folder.ts';
import { tryLock } from './lock.ts';

/**
 * Below the range of outgoing connections on all systems, so that no outgoing connection takes a chosen port before its
 * server does.
 */
const FREE_RANGE = { first: 20_000, last: 32_000 };

/** Preference: the port used before, then the well-known number, then any free port. */
export interface PortWish {
  readonly remembered?: number | undefined;
  readonly preferred?: number | undefined;
}

export interface AllocatedPorts<Name extends string> {
  readonly ports: Readonly<Record<Name, number>>;
  /** Lets other labs use the ports. */
  readonly release: () => void;
}

/**
 * Free loopback ports, one for each name, all different. They are reserved against other labs of this user until
 * released, because a server may open its port much later.
 */
export async function allocatePorts<Name extends string>(
  wishes: Readonly<Record<Name, PortWish>>,
  folder: string = join(cacheFolder(process.env), 'ports'),
): Promise<AllocatedPorts<Name>> {
  // A lab that stopped in this process a moment ago gets its own ports again.
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
