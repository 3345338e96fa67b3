import { writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import {
  createAuthority,
  DAY_MS,
  issueCertificate,
  type KeyPair,
  selfSigned,
} from '../../../platform/tls/certificates.ts';

const LOOPBACK = '127.0.0.1';
/** An address at which nothing listens. */
export const NOWHERE = `${LOOPBACK}:1`;

/** Servers that Ironic cannot use, each with the reason why; host and port. */
export interface UselessServers {
  /** Of images: answers 403. */
  readonly forbidden: string;
  /** BMCs: with a certificate that nobody has signed, and with one that has expired. */
  readonly untrusted: string;
  readonly expired: string;
  /**
   * For REQUESTS_CA_BUNDLE of Ironic: it trusts this authority and no other, so that it calls a certificate expired and
   * not unknown.
   */
  readonly authorities: string;
  close(): void;
}

/** The file with the authorities is put into the folder. */
export async function startUselessServers(folder: string): Promise<UselessServers> {
  const servers: Server[] = [];
  const listening = async (server: Server): Promise<string> => {
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
    return `${LOOPBACK}:${(server.address() as AddressInfo).port}`;
  };
  const secured = ({ cert, key }: KeyPair): Promise<string> =>
    listening(createHttpsServer({ cert, key }, (_, answer) => answer.writeHead(404).end()));
  const authority = await createAuthority('CN=bmc-authority', DAY_MS);
  const [names, usages] = [[LOOPBACK], ['serverAuth']] as const;
  const wasValid = { subject: 'CN=bmc', names, usages, lifetimeMs: -60_000 } as const;
  const authorities = join(folder, 'authorities.pem');
  await writeFile(authorities, authority.cert);
  return {
    forbidden: await listening(createHttpServer((_, answer) => answer.writeHead(403).end())),
    untrusted: await secured(await selfSigned([LOOPBACK])),
    expired: await secured(await issueCertificate(authority, wasValid)),
    authorities,
    close() {
      for (const server of servers) server.close();
    },
  };
}
