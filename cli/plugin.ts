import { COMMANDS } from './commands.ts';
import { dispatch } from './dispatch.ts';

/**
 * `kubectl temper`: the commands for servers, without those for the lab, whose programs are not in the plugin's
 * archive.
 */
process.exitCode = await dispatch(COMMANDS, process.argv.slice(2));
