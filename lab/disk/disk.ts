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

/** The content of a simulated disk: of an image only the digest is kept. */
export interface DiskContent {
  readonly image: WrittenImage | null;
  readonly configDrive: ConfigDrive | null;
  /** Number of images written to it. */
  readonly writes: number;
  /** Number of erasures by cleaning. */
  readonly erasures: number;
  /** Software RAID volumes. */
  readonly volumes: readonly Volume[];
}

export interface AgentDisk {
  /** Folder for files of the installed system; deleted together with the image. */
  readonly rootDir: string;
  read(): Promise<DiskContent>;
  write(image: WrittenImage, configDrive: ConfigDrive | null): Promise<void>;
  erase(): Promise<void>;
  /** Marks the disk as without image after a failed write. */
  spoil(): Promise<void>;
  /** New volumes are empty. */
  divide(volumes: readonly Volume[]): Promise<void>;
}

const EMPTY: DiskContent = { image: null, configDrive: null, writes: 0, erasures: 0, volumes: [] };

/** Replaces a file atomically: after a crash the file is either the old or the new one. */
export const replaceFile = async (path: string, text: string): Promise<void> => {
  await writeFile(`${path}.new`, text, { mode: 0o600 });
  await rename(`${path}.new`, path);
};

/** Reads a file, or undefined when it does not exist. */
export const readIfThere = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });

/** The disk of one machine: a folder that survives a restart of the server. */
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
