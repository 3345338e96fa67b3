import { OUT, orUnreachable, wrong } from '../out.ts';
import { uninstallRequest } from './options.ts';
import { takeAway } from './take-away.ts';

/** Takes Temper away. Returns the exit code. */
export const uninstall = (args: readonly string[]): Promise<number> => {
  const request = uninstallRequest(args);
  return request === undefined ? wrong(args) : orUnreachable(() => takeAway(request, OUT));
};
