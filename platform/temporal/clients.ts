import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import pRetry from 'p-retry';
import type { Log } from '../log.ts';
import { connectTemporal } from './connection.ts';

interface Where {
  readonly address: string;
  readonly namespace: string;
}

/** Waits for a server that is not ready yet, without a limit. */
const untilUp = <T>(log: Log, address: string, connect: () => Promise<T>, signal?: AbortSignal): Promise<T> =>
  pRetry(connect, {
    retries: Number.POSITIVE_INFINITY,
    minTimeout: 200,
    maxTimeout: 5_000,
    ...(signal && { signal }),
    onFailedAttempt: ({ error }) => log.warn({ address, error: error.message }, 'Temporal is not reachable yet'),
  });

export async function connectClient({ address, namespace }: Where, log: Log, signal?: AbortSignal): Promise<Client> {
  const connection = await untilUp(log, address, () => connectTemporal({ address, connectTimeout: 5_000 }), signal);
  return new Client({ connection, namespace });
}

export const connectWorker = ({ address }: Where, log: Log, signal?: AbortSignal): Promise<NativeConnection> =>
  untilUp(log, address, () => NativeConnection.connect({ address }), signal);
