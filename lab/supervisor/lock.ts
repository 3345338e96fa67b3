import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { identityOf, isAlive, type ProcessIdentity } from './process-identity.ts';

export type LockAttempt =
  | { readonly kind: 'held'; release(): void }
  | { readonly kind: 'taken'; readonly by: ProcessIdentity };

/** Takes a lock file for this process; the lock of a dead process is taken over. */
export function tryLock(path: string): LockAttempt {
  mkdirSync(dirname(path), { recursive: true });
  const self = identityOf(process.pid);
  if (self === undefined) throw new Error('this process is missing in the process table');
  const draft = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  writeFileSync(draft, JSON.stringify(self));
  try {
    for (;;) {
      try {
        // A hard link appears together with its content, so nobody reads a lock without an owner.
        linkSync(draft, path);
        return { kind: 'held', release: () => rmSync(path, { force: true }) };
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const owner = lockOwner(path);
      if (owner !== undefined) return { kind: 'taken', by: owner };
      takeAway(path);
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Removes a dead owner's lock; a lock that a living process has created meanwhile is put back. */
function takeAway(path: string): void {
  const aside = `${path}.stale.${process.pid}.${Math.random().toString(36).slice(2)}`;
  try {
    renameSync(path, aside);
    if (lockOwner(aside) !== undefined) linkSync(aside, path);
  } catch (error) {
    // Another process was faster.
    if (!['ENOENT', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

/** The living owner of a lock file. */
export function lockOwner(path: string): ProcessIdentity | undefined {
  try {
    const owner = JSON.parse(readFileSync(path, 'utf8')) as ProcessIdentity;
    return isAlive(owner) ? owner : undefined;
  } catch {
    return undefined;
  }
}
