import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandRecord } from './command.ts';
import { readIfThere, replaceFile } from './disk.ts';

/** What a running agent knows. A machine does not reboot because the lab's server does, so it is kept in a file. */
export interface AgentMemory {
  readonly token?: string;
  readonly node?: string;
  readonly commands: readonly CommandRecord[];
  /** Parameters of the command that runs, to run it again after a restart of the server. */
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
