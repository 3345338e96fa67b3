import { homedir } from 'node:os';
import { join } from 'node:path';

/** Folder in which programs and manifests are kept for all labs. */
export const cacheFolder = (env: NodeJS.ProcessEnv): string =>
  env['TEMPER_CACHE'] ?? join(homedir(), '.cache', 'temper');
