import { watch } from 'node:fs';
import { dirname } from 'node:path';

/** Interval at which files are read on file systems that report no changes. */
const INTERVAL_MS = 60_000;

/**
 * Calls back whenever one of the files may have changed, one call at a time; the returned function ends it. Folders are
 * watched, because Kubernetes replaces mounted files by renaming a folder beside them.
 */
export function followFiles(files: readonly string[], look: () => Promise<void>): () => void {
  let isLooking = false;
  let hasChanged = false;
  const onChange = async (): Promise<void> => {
    hasChanged = true;
    if (isLooking) return;
    isLooking = true;
    while (hasChanged) {
      hasChanged = false;
      await look();
    }
    isLooking = false;
  };
  const ends = [...new Set(files.map((file) => dirname(file)))].map((folder) => watchFolder(folder, onChange));
  const timer = setInterval(() => void onChange(), INTERVAL_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    for (const end of ends) end();
  };
}

/**
 * When the folder can't be watched (it is gone, or the system has no watches left), the files are still read at the
 * interval.
 */
function watchFolder(folder: string, onChange: () => Promise<void>): () => void {
  try {
    const watcher = watch(folder, () => void onChange());
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => undefined;
  }
}
