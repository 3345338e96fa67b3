import { globSync, readFileSync } from 'node:fs';
import { inRepository } from './compose-file.ts';

/** The folders whose code reads, as a bridge or a worker, what somebody else wrote. */
const FOLDERS = ['activities', 'api', 'domain', 'k8s-bridge', 'kube', 'platform', 'workers', 'workflows'];

export interface ProductionFile {
  /** Relative to the repository. */
  readonly file: string;
  readonly text: string;
}

/** The files of production code, in order. */
export const productionFiles = (): readonly ProductionFile[] =>
  FOLDERS.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: inRepository('.') }))
    .filter((file) => !file.endsWith('.test.ts'))
    .toSorted()
    .map((file) => ({ file, text: readFileSync(inRepository(file), 'utf8') }));
