import { OUT, orUnreachable, wrong } from '../out.ts';
import { findHosts } from './find.ts';
import { findRequest } from './options.ts';

/** Prints the hosts that are known by a text. Returns the exit code. */
export const find = (args: readonly string[]): Promise<number> => {
  const request = findRequest(args);
  return request === undefined ? wrong(args) : orUnreachable(() => findHosts(request, OUT));
};
