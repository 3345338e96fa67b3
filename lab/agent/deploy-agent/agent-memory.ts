import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfThere, replaceFile } from '../../disk/disk.ts';
import type { CommandRecord } from './command.ts';

/**
 * The state of a running agent. It is kept in a file because a restart of the agent server is not a reboot of the
 * machine.
 */
export interface AgentMemory {
  readonly token?: string;
  readonly node?: string;
  readonly commands: readonly CommandRecord[];
  /** Parameters of the running command, so that a restarted server can run it again. */
  readonly running?: { readonly id: string; readonly name: string; readonly params: unknown };
}

export interface MemoryFile {
  read(): Promise<AgentMemory | undefined>;
  write(memory: AgentMemory): Promise<void>;
  forget(): Promise<void>;
}

export const memoryFile = (folder: string): MemoryFile => {
  const path = join(folder, 'agent.json');
  let last: Promise<void> = Promise.resolve();
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    last = last.then(work, work);
    return last;
  };
  return {
    read: async () => {
      const text = await readIfThere(path);
      return text === undefined ? undefined : (JSON.parse(text) as AgentMemory);
    },
    write: (memory) => inTurn(() => replaceFile(path, JSON.stringify(memory))),
    forget: () => inTurn(() => rm(path, { force: true })),
  };
};
