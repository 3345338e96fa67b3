import { OUT, orUnreachable, wrong } from '../out.ts';
import { waitingRequest } from './options.ts';
import { printWaiting } from './waiting.ts';

/** Prints all that waits for a person. Returns the exit code. */
export const waiting = (args: readonly string[]): Promise<number> => {
  const request = waitingRequest(args);
  return request === undefined ? wrong(args) : orUnreachable(() => printWaiting(request, OUT));
};
