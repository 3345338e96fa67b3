import { existsSync } from 'node:fs';
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

/** The files of the installed system, in a folder that is deleted with the disk's image. */
export interface RootFolder {
  /** The real path of a path on the machine; never outside of the folder. */
  at(path: string): string;
  has(path: string): boolean;
  read(path: string): Promise<string>;
  write(path: string, content: string | Buffer, append?: boolean): Promise<void>;
}

export function rootFolder(folder: string): RootFolder {
  const at = (path: string): string => join(folder, resolve('/', path));
  return {
    at,
    has: (path) => existsSync(at(path)),
    read: (path) => readFile(at(path), 'utf8'),
    write: async (path, content, append = false) => {
      await mkdir(dirname(at(path)), { recursive: true, mode: 0o700 });
      if (append) await appendFile(at(path), content, { mode: 0o600 });
      else await writeFile(at(path), content, { mode: 0o600 });
    },
  };
}
