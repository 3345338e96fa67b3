import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';

const processSchema = z.object({ pid: z.int(), startTime: z.string(), log: z.string().optional() });

const stateSchema = z.object({
  version: z.literal(1),
  ports: z.record(z.string(), z.int()).default({}),
  processes: z.record(z.string(), processSchema).default({}),
  watchdogPid: z.int().optional(),
  endpoints: z.record(z.string(), z.unknown()).default({}),
  settings: z.record(z.string(), z.unknown()).default({}),
});

/** The state file of a lab, for a second start, for `status`, and for cleaning up after a crash. */
type LabState = z.infer<typeof stateSchema>;

export interface StateFile {
  read(): LabState;
  /** Replaces the file atomically, so that readers never see a part of it. */
  update(change: (state: LabState) => LabState): LabState;
}

export function stateFile(dir: string): StateFile {
  const path = join(dir, 'state.json');
  const read = (): LabState => {
    try {
      return stateSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
    } catch {
      return stateSchema.parse({ version: 1 });
    }
  };
  return {
    read,
    update: (change) => {
      const state = change(read());
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(`${path}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
      renameSync(`${path}.new`, path);
      return state;
    },
  };
}
