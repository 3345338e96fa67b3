import { OUT, orUnreachable, wrong } from '../out.ts';
import { fleetHistory } from './fleet.ts';
import { history as showHistory } from './history.ts';
import { historyRequest } from './options.ts';

/** Prints the past of an object, or of all hosts and machines. Returns the exit code. */
export const history = (args: readonly string[]): Promise<number> => {
  const request = historyRequest(args);
  if (request === undefined) return wrong(args);
  return orUnreachable(() => ('name' in request ? showHistory(request, OUT) : fleetHistory(request, OUT, Date.now())));
};
