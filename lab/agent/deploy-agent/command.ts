import { randomUUID } from 'node:crypto';
import { messageOf } from '../../../domain/message-of.ts';

/** A command as the agent lists it; names have no extension prefix here. */
export interface CommandRecord {
  readonly id: string;
  readonly command_name: string;
  readonly command_status: 'RUNNING' | 'SUCCEEDED' | 'FAILED';
  readonly command_error: CommandError | null;
  readonly command_result: unknown;
}

interface CommandError {
  readonly type: 'CommandExecutionError';
  readonly code: 500;
  readonly message: string;
  /** The text that Ironic shows to its users. */
  readonly details: string;
}

export const started = (name: string): CommandRecord => ({
  id: randomUUID(),
  command_name: name.split('.').at(-1) ?? name,
  command_status: 'RUNNING',
  command_error: null,
  command_result: null,
});

export const succeeded = (record: CommandRecord, result: unknown): CommandRecord => ({
  ...record,
  command_status: 'SUCCEEDED',
  command_result: result,
});

export const failed = (record: CommandRecord, error: unknown): CommandRecord => ({
  ...record,
  command_status: 'FAILED',
  command_error: {
    type: 'CommandExecutionError',
    code: 500,
    message: 'Command execution failed',
    details: messageOf(error),
  },
});
