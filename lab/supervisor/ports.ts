import getPort, { clearLockedPorts } from 'get-port';

/** Below every system's range for outgoing connections, so that none of these takes a chosen port before its server. */
const FREE_RANGE = { first: 20_000, last: 32_000 };

/** What a port was used for before comes first, then the number people know, then any that is free. */
export interface PortWish {
  readonly remembered?: number | undefined;
  readonly preferred?: number | undefined;
}

/** Free loopback ports, one a name and no two alike. */
export async function allocatePorts<Name extends string>(
  wishes: Readonly<Record<Name, PortWish>>,
): Promise<Record<Name, number>> {
  // A lab that stopped a moment ago in this process gets its own ports back.
  clearLockedPorts();
  const taken = new Set<number>();
  const ports: Partial<Record<Name, number>> = {};
  for (const name of Object.keys(wishes) as Name[]) {
    const { remembered, preferred } = wishes[name];
    const known = [remembered, preferred].filter((port) => port !== undefined && !taken.has(port)) as number[];
    const port = await getPort({ host: '127.0.0.1', port: [...known, ...anyPorts()], exclude: taken });
    taken.add(port);
    ports[name] = port;
  }
  return ports as Record<Name, number>;
}

function anyPorts(): number[] {
  const span = FREE_RANGE.last - FREE_RANGE.first;
  return Array.from({ length: 32 }, () => FREE_RANGE.first + Math.floor(Math.random() * span));
}
