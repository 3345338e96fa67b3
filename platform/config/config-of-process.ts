import type { z } from 'zod';
import { messageOf } from '../../domain/message-of.ts';
import { readConfig } from './config.ts';
import { asksForHelp, usage } from './flags.ts';

/**
 * The settings of this process from its command line and environment; ends the process with a message when they are
 * invalid.
 */
export function configOf<Schema extends z.ZodType>(schema: Schema): z.infer<Schema> {
  const args = process.argv.slice(2);
  if (asksForHelp(args)) {
    process.stdout.write(`Flags, as of baremetal-operator; docs/configuration.md explains the variables:\n${usage()}`);
    process.exit(0);
  }
  try {
    return readConfig(schema, process.env, args);
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exit(1);
  }
}
