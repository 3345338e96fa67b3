import { OUT, orUnreachable, wrong } from '../out.ts';
import { type SteerCommand, steerRequest } from './options.ts';
import { steer as send } from './steer.ts';

/** Sends a message of a person to hosts or machines. Returns the exit code. */
export const steer = (command: SteerCommand, args: readonly string[]): Promise<number> => {
  const request = steerRequest(command, args);
  return request === undefined ? wrong(args) : orUnreachable(() => send(request, OUT));
};
