import { hostname } from 'node:os';
import { buildInfoIn, buildInWords } from '../build-info.ts';

/**
 * The name of this process in Temporal, which shows it in each task that the process takes, and in the lists of those
 * that wait for tasks: `17@temper-workers-6d9f temper 0.1.0 (6b2bc657)`.
 */
export const workerIdentity = (): string =>
  `${process.pid}@${hostname()} ${PROGRAM} ${buildInWords(buildInfoIn(process.env))}`;

const PROGRAM = 'temper';
const IDENTITY = new RegExp(`^(\\S+) ${PROGRAM} (.+)$`);

/** The process and its version in such a name; undefined: another program, or a version of Temper without them. */
export function processIn(identity: string): { readonly process: string; readonly version: string } | undefined {
  const [, named, version] = IDENTITY.exec(identity) ?? [];
  return named === undefined || version === undefined ? undefined : { process: named, version };
}
