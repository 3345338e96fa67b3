import { interruptSignal } from '../../lab/terminal/interrupt.ts';
import { endpointsOf, openKube } from '../access.ts';
import { OUT, orUnreachable, wrong } from '../out.ts';
import { watchRequest } from './options.ts';
import { watchObjects } from './watch.ts';

/** Prints a line for each change until Ctrl-C. Returns the exit code. */
export const watch = (args: readonly string[]): Promise<number> => {
  const request = watchRequest(args);
  if (request === undefined) return wrong(args);
  return orUnreachable(async () => {
    const unread = new AbortController();
    // A reader such as `head` closes the pipe once it has its lines; the watch ends then.
    process.stdout.once('error', () => unread.abort());
    const ended = AbortSignal.any([interruptSignal(), unread.signal]);
    const kube = openKube(endpointsOf(request.labFolder));
    try {
      return await watchObjects(request, { kube, out: OUT, now: Date.now, ended });
    } finally {
      await kube.close();
    }
  });
};
