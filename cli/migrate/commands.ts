import { OUT, orUnreachable, wrong } from '../out.ts';
import { printCheck } from './check.ts';
import { migrateRequest } from './options.ts';

/** Prints what hinders a switch. Returns the exit code. */
export const migrate = (args: readonly string[]): Promise<number> => {
  const request = migrateRequest(args);
  return request === undefined ? wrong(args) : orUnreachable(() => printCheck(request, OUT, Date.now()));
};
