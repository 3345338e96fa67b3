import type { Client } from '@temporalio/client';
import { z } from 'zod';
import type { Pause } from '../domain/entity/paused-run.ts';
import { proxiesOf } from '../platform/config/proxy-settings.ts';
import { setVariables } from '../platform/config/set-variables.ts';
import { type TemporalConfig, temporalSettings } from '../platform/config/temporal-settings.ts';
import { createLog } from '../platform/log.ts';
import { openTemporalAccess } from '../platform/temporal/access/access.ts';
import { connectClientOnce } from '../platform/temporal/client.ts';
import { isUnavailable, unreachable } from '../platform/temporal/connection-problem.ts';
import { describePause, isPausedRun } from '../platform/temporal/paused-run.ts';

export interface OpenClient {
  readonly client: Client;
  /** Throws when a request failed because Temporal does not answer. */
  readonly throwIfDown: (error: unknown) => Promise<void>;
  /** The pause for which the run has refused a request; undefined: it failed for another reason. */
  readonly pauseOf: (error: unknown, workflowId: string) => Promise<Pause | undefined>;
  close(): Promise<void>;
}

/** A lab's Temporal; undefined: the lab does not run. */
export interface TemporalEndpoints {
  readonly temporalAddress?: string | undefined;
  readonly temporalNamespace?: string | undefined;
}

/** The variables of Temporal's own command line; for those that are not set, the lab in the folder. */
export const temporalConfigOf = (
  { temporalAddress, temporalNamespace }: TemporalEndpoints,
  env: NodeJS.ProcessEnv,
): TemporalConfig =>
  z.object(temporalSettings).parse({
    ...(temporalAddress !== undefined && { TEMPORAL_ADDRESS: temporalAddress }),
    ...(temporalNamespace !== undefined && { TEMPORAL_NAMESPACE: temporalNamespace }),
    ...setVariables(env),
  });

export async function openClient(endpoints: TemporalEndpoints): Promise<OpenClient> {
  const config = temporalConfigOf(endpoints, process.env);
  const log = createLog(
    'temper',
    { LOG_LEVEL: 'error', DEV_LOGGING: false },
    { destination: { write: (line) => void process.stderr.write(line) } },
  );
  const access = await openTemporalAccess({ ...config, ...proxiesOf(process.env) }, log, () => undefined);
  const client = await connectClientOnce(access);
  return {
    client,
    throwIfDown: async (error) => {
      if (isUnavailable(error)) throw await unreachable(access, error);
    },
    pauseOf: async (error, workflowId) => (isPausedRun(error) ? describePause(client, workflowId) : undefined),
    async close() {
      await client.connection.close();
      await access.close();
    },
  };
}
