import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { z } from 'zod';
import { endpointsIn } from '../../lab/detached/endpoints.ts';

const NOT_FOUND = 127;

const labEndpoints = z
  .object({
    temporalCli: z.string().optional(),
    temporalAddress: z.string().optional(),
    temporalNamespace: z.string().optional(),
  })
  .catch({});

/**
 * Runs Temporal's command line: the lab's, for the lab's server. What the environment says takes precedence; without a
 * lab it is `temporal` of the PATH. Returns its exit code.
 */
export async function temporal(args: readonly string[]): Promise<number> {
  const { temporalCli = 'temporal', temporalAddress, temporalNamespace } = labEndpoints.parse(endpointsIn('.lab'));
  const env = {
    ...(temporalAddress !== undefined && { TEMPORAL_ADDRESS: temporalAddress }),
    ...(temporalNamespace !== undefined && { TEMPORAL_NAMESPACE: temporalNamespace }),
    ...process.env,
  };
  const running = spawn(temporalCli, args, { stdio: 'inherit', env });
  try {
    const [code] = (await once(running, 'exit')) as [number | null];
    return code ?? 1;
  } catch (error) {
    process.stderr.write(`temper: ${temporalCli} could not be run: ${String(error)}; no lab runs in .lab\n`);
    return NOT_FOUND;
  }
}
