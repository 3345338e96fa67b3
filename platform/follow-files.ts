import { watch } from 'node:fs';
import { dirname } from 'node:path';

/** For file systems that report no changes. */
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

/** Without a watch (the folder is gone, the system has no watches left) the interval remains. */
function watchFolder(folder: string, onChange: () => Promise<void>): () => void {
  try {
    const watcher = watch(folder, () => void onChange());
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => undefined;
  }
}
