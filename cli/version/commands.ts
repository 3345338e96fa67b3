import { OUT, orUnreachable, wrong } from '../out.ts';
import { versionRequest } from './options.ts';
import { printVersions } from './version.ts';

/** Prints the versions of all parts. Returns the exit code. */
export const version = (args: readonly string[]): Promise<number> => {
  const request = versionRequest(args);
  return request === undefined ? wrong(args) : orUnreachable(() => printVersions(request, OUT));
};
