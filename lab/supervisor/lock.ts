import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { tryLock as tryFileLock } from 'fs-native-extensions';
import { isAlive, type ProcessIdentity, processIdentityOf } from '../../platform/process-identity.ts';

export type LockAttempt =
  | { readonly kind: 'held'; release(): void }
  | { readonly kind: 'taken'; readonly by: ProcessIdentity };

/** Locks a file for this process. The kernel releases the lock when the process ends, even after SIGKILL. */
export function tryLock(path: string): LockAttempt {
  mkdirSync(dirname(path), { recursive: true });
  const self = processIdentityOf(process.pid);
  if (self === undefined) throw new Error('this process is missing in the process table');
  for (;;) {
    const file = openSync(path, constants.O_RDWR | constants.O_CREAT);
    if (tryFileLock(file) && isFileAt(path, file)) {
      // The text is padded to the file's length, because a dead owner may have left a longer text.
      writeSync(file, JSON.stringify(self).padEnd(fstatSync(file).size), 0);
      return { kind: 'held', release: releaseOnce(path, file) };
    }
    closeSync(file);
    // Unknown for the moment in which the owner takes or releases the lock.
    const owner = readOwner(path);
    if (owner !== undefined) return { kind: 'taken', by: owner };
  }
}

/** False when the file was deleted since it was opened. */
function isFileAt(path: string, file: number): boolean {
  return statSync(path, { throwIfNoEntry: false })?.ino === fstatSync(file).ino;
}

function releaseOnce(path: string, file: number): () => void {
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    if (isFileAt(path, file)) rmSync(path, { force: true });
    closeSync(file);
  };
}

/** The living owner of a lock file. */
export function lockOwner(path: string): ProcessIdentity | undefined {
  const owner = readOwner(path);
  return owner !== undefined && isAlive(owner) ? owner : undefined;
}

function readOwner(path: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as ProcessIdentity;
  } catch {
    return undefined;
  }
}
