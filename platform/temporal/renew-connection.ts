import type { Worker } from '@temporalio/worker';
import { messageOf } from '../../domain/message-of.ts';
import type { Log } from '../log.ts';
import type { TemporalAccess } from './access/access.ts';
import { isSameTls } from './access/credentials.ts';
import { connectWorker, type WorkerConnection } from './clients.ts';

export interface RenewedConnection {
  /** Ends the renewal; the worker must have ended. */
  close(): Promise<void>;
}

/**
 * Gives a running worker the newest credentials. Its tasks go on: what was received on the old connection is answered
 * on the new one, and a poll that waits on the old one still delivers its task.
 */
export function renewConnection(
  worker: Worker,
  first: WorkerConnection,
  access: TemporalAccess,
  log: Log,
): RenewedConnection {
  const ending = new AbortController();
  let current = first;
  let renewing = Promise.resolve();

  const renew = async (): Promise<void> => {
    const { credentials } = access;
    if (ending.signal.aborted || credentials === current.credentials) return;
    if (isSameTls(credentials, current.credentials)) {
      await current.connection.setApiKey(credentials.apiKey ?? '');
      current = { ...current, credentials };
    } else {
      const next = await connectWorker(access, log, ending.signal);
      if (ending.signal.aborted) return next.connection.close();
      const { connection: old } = current;
      worker.connection = next.connection;
      current = next;
      await old.close();
    }
    log.info({ taskQueue: worker.options.taskQueue }, 'the worker uses the renewed credentials');
  };
  const follow = (): void => {
    renewing = renewing.then(renew).catch((error: unknown) => {
      if (!ending.signal.aborted)
        log.error({ error: messageOf(error) }, 'the worker could not be given the renewed credentials');
    });
  };
  const unfollow = access.follow(follow);
  // The credentials may have changed since the connection was made.
  follow();
  return {
    async close() {
      unfollow();
      ending.abort();
      await renewing;
      await current.connection.close();
    },
  };
}
