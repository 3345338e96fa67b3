import { OUT, orUnreachable, wrong } from '../out.ts';
import { history as showHistory } from './history.ts';
import { historyRequest } from './options.ts';

/** Prints the past of an object. Returns the exit code. */
export const history = (args: readonly string[]): Promise<number> => {
  const request = historyRequest(args);
  return request === undefined ? wrong(args) : orUnreachable(() => showHistory(request, OUT));
};
