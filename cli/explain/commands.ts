import { OUT, orUnreachable, wrong } from '../out.ts';
import { explainObject } from './explain.ts';
import { explainRequest } from './options.ts';

/** Explains a host, a machine or a cluster. Returns the exit code. */
export const explain = (args: readonly string[]): Promise<number> => {
  const request = explainRequest(args);
  return request === undefined ? wrong(args) : orUnreachable(() => explainObject(request, OUT, Date.now()));
};
