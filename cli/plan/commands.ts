import { OUT, orUnreachable, wrong } from '../out.ts';
import { planRequest } from './options.ts';
import { printPlans } from './plan.ts';

/** Prints what would be done. Returns the exit code. */
export const plan = (args: readonly string[]): Promise<number> => {
  const request = planRequest(args);
  return request === undefined ? wrong(args) : orUnreachable(() => printPlans(request, OUT, Date.now()));
};
