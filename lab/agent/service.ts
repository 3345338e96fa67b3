import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { answers } from '../http/answers.ts';
import type { Service } from '../service.ts';
import type { AgentSettings } from './settings.ts';

export interface AgentServerOptions extends AgentSettings {
  readonly dir: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Prepares the server that simulates the agents of all machines, serves images and controls the machines. */
export const prepareAgentServer = async ({ dir, env, ...given }: AgentServerOptions): Promise<Service> => {
  const settings: AgentSettings = given;
  await mkdir(dir, { recursive: true });
  await mkdir(settings.disksDir, { recursive: true, mode: 0o700 });
  const file = join(dir, 'settings.json');
  await writeFile(file, JSON.stringify(settings, null, 2), { mode: 0o600 });
  return {
    name: 'agent',
    command: process.execPath,
    args: [join(import.meta.dirname, 'main.ts'), file],
    env,
    cwd: dir,
    ready: (signal) => answers(`http://127.0.0.1:${settings.port}/machines`, signal),
  };
};
