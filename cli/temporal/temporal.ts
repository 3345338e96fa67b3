import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { messageOf } from '../../domain/message-of.ts';
import { setVariables } from '../../platform/config/set-variables.ts';
import { readCredentials } from '../../platform/temporal/access/credentials.ts';
import { endpointsIn } from '../running-lab.ts';

const [FAILED, NOT_FOUND] = [1, 127];

/**
 * Runs Temporal's command line for the lab's server, with the lab's own program. Variables of the environment take
 * precedence. Without a lab, it runs `temporal` from the PATH. Returns its exit code.
 */
export async function temporal(args: readonly string[]): Promise<number> {
  const { temporalCli = 'temporal', temporalAddress, temporalNamespace } = endpointsIn('.lab');
  let env: NodeJS.ProcessEnv;
  try {
    env = {
      ...(temporalAddress !== undefined && { TEMPORAL_ADDRESS: temporalAddress }),
      ...(temporalNamespace !== undefined && { TEMPORAL_NAMESPACE: temporalNamespace }),
      ...setVariables(await withApiKey(process.env)),
    };
  } catch (error) {
    process.stderr.write(`temper: ${messageOf(error)}\n`);
    return FAILED;
  }
  const running = spawn(temporalCli, args, { stdio: 'inherit', env });
  try {
    const [code] = (await once(running, 'exit')) as [number | null];
    return code ?? 1;
  } catch (error) {
    process.stderr.write(`temper: ${temporalCli} could not be run: ${String(error)}; no lab runs in .lab\n`);
    return NOT_FOUND;
  }
}

/** Temporal's command line does not know TEMPORAL_API_KEY_PATH: it gets the key from that file, unless it has one. */
export async function withApiKey(env: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv> {
  const { TEMPORAL_API_KEY: given = '', TEMPORAL_API_KEY_PATH: path = '' } = env;
  if (given !== '' || path === '') return env;
  const { apiKey } = await readCredentials({
    TEMPORAL_ADDRESS: '',
    TEMPORAL_NAMESPACE: '',
    TEMPORAL_API_KEY_PATH: path,
  });
  return { ...env, TEMPORAL_API_KEY: apiKey };
}
