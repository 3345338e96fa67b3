import type { Client } from '@temporalio/client';
import { NativeConnection, type NativeConnectionOptions } from '@temporalio/worker';
import pRetry from 'p-retry';
import type { Log } from '../log.ts';
import type { TemporalAccess } from './access/access.ts';
import { joinAddress } from './access/address.ts';
import type { TemporalCredentials } from './access/credentials.ts';
import { connectClientOnce } from './client.ts';
import { unreachable } from './connection-problem.ts';

/** Waits for a server that is not ready yet, without a limit. */
const untilUp = <T>(access: TemporalAccess, log: Log, connect: () => Promise<T>, signal?: AbortSignal): Promise<T> =>
  pRetry(connect, {
    retries: Number.POSITIVE_INFINITY,
    minTimeout: 200,
    maxTimeout: 5_000,
    ...(signal && { signal }),
    onFailedAttempt: ({ error }) =>
      log.warn({ address: access.address, error: error.message }, 'Temporal is not reachable yet'),
  });

export const connectClient = (access: TemporalAccess, log: Log, signal?: AbortSignal): Promise<Client> =>
  untilUp(access, log, () => connectClientOnce(access), signal);

/** A worker's connection keeps its certificates. */
export interface WorkerConnection {
  readonly connection: NativeConnection;
  readonly credentials: TemporalCredentials;
}

export const connectWorker = (access: TemporalAccess, log: Log, signal?: AbortSignal): Promise<WorkerConnection> =>
  untilUp(
    access,
    log,
    async () => {
      const { credentials } = access;
      const options = { ...wayOf(access), ...nativeOptions(credentials) };
      const connection = await NativeConnection.connect(options).catch(async (error: unknown) => {
        throw await unreachable(access, error);
      });
      return { credentials, connection };
    },
    signal,
  );

const wayOf = ({ address, proxy }: TemporalAccess): Pick<NativeConnectionOptions, 'address' | 'proxy'> => ({
  address,
  ...(proxy && {
    proxy: { type: 'http-connect', targetHost: joinAddress(proxy), ...(proxy.login && { basicAuth: proxy.login }) },
  }),
});

const nativeOptions = ({ tls, apiKey }: TemporalCredentials): Pick<NativeConnectionOptions, 'tls' | 'apiKey'> => ({
  tls:
    tls === undefined
      ? false
      : {
          ...(tls.serverName !== undefined && { serverNameOverride: tls.serverName }),
          ...(tls.ca !== undefined && { serverRootCACertificate: Buffer.from(tls.ca) }),
          ...(tls.client && {
            clientCertPair: { crt: Buffer.from(tls.client.cert), key: Buffer.from(tls.client.key) },
          }),
        },
  ...(apiKey !== undefined && { apiKey }),
});
