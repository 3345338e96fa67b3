import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConfigDrive } from './config-drive.ts';
import type { Volume } from './raid.ts';

export interface WrittenImage {
  readonly url: string;
  readonly format: string | null;
  readonly bytes: number;
  readonly algorithm: string;
  readonly digest: string;
  readonly writtenAt: string;
}

/** What a made-up disk holds: of an image its digest is kept, not its bytes. */
export interface DiskContent {
  readonly image: WrittenImage | null;
  readonly configDrive: ConfigDrive | null;
  /** How often an image was written to it. */
  readonly writes: number;
  /** How often cleaning wiped the disk. */
  readonly erasures: number;
  /** Volumes in software. */
  readonly volumes: readonly Volume[];
}

export interface AgentDisk {
  /** For what the installed system writes; it is gone with the image. */
  readonly rootDir: string;
  read(): Promise<DiskContent>;
  write(image: WrittenImage, configDrive: ConfigDrive | null): Promise<void>;
  erase(): Promise<void>;
  /** After a write that failed: half an image is no image. */
  spoil(): Promise<void>;
  /** Other volumes hold nothing of what was there. */
  divide(volumes: readonly Volume[]): Promise<void>;
}

const EMPTY: DiskContent = { image: null, configDrive: null, writes: 0, erasures: 0, volumes: [] };

/** Replaces a file as a whole, so that a killed process leaves the old one or the new one. */
export const replaceFile = async (path: string, text: string): Promise<void> => {
  await writeFile(`${path}.new`, text, { mode: 0o600 });
  await rename(`${path}.new`, path);
};

/** Reads a file that may not be there yet. */
export const readIfThere = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });

/** The disk of one machine, a folder that outlives the server. */
export const openDisk = async (folder: string): Promise<AgentDisk> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'disk.json');
  const rootDir = join(folder, 'root');
  const read = async (): Promise<DiskContent> => {
    const text = await readIfThere(path);
    return text === undefined ? EMPTY : { ...EMPTY, ...(JSON.parse(text) as Partial<DiskContent>) };
  };
  const change = async (patch: Partial<DiskContent>): Promise<void> =>
    replaceFile(path, JSON.stringify({ ...(await read()), ...patch }, null, 2));
  const replace = async (patch: Partial<DiskContent>): Promise<void> => {
    await rm(rootDir, { recursive: true, force: true });
    await change({ image: null, configDrive: null, ...patch });
  };
  return {
    rootDir,
    read,
    write: async (image, configDrive) => replace({ image, configDrive, writes: (await read()).writes + 1 }),
    erase: async () => replace({ erasures: (await read()).erasures + 1 }),
    spoil: () => replace({}),
    divide: (volumes) => replace({ volumes }),
  };
};
