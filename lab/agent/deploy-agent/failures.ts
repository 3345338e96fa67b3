import { join } from 'node:path';
import { readIfThere, replaceFile } from '../../disk/disk.ts';
import { type Failure, type FailureKind, failuresSchema } from '../../machines/failure.ts';

type FailureOf<K extends FailureKind> = Extract<Failure, { kind: K }>;

export interface FailureStore {
  list(): readonly Failure[];
  replace(failures: readonly Failure[]): Promise<void>;
  /** The first failure of that kind (and step). It counts as used and is removed after its last time. */
  take<K extends FailureKind>(kind: K, step?: string): Promise<FailureOf<K> | undefined>;
}

const concerns = (failure: Failure, kind: FailureKind, step: string | undefined): boolean =>
  failure.kind === kind && (!('step' in failure) || failure.step === undefined || failure.step === step);

const usedOnce = (failure: Failure): Failure[] => {
  if (!('times' in failure) || failure.times === undefined) return [failure];
  return failure.times > 1 ? [{ ...failure, times: failure.times - 1 }] : [];
};

/** The failures of one machine. The remaining ones survive a restart of the server; `given` is for a new machine. */
export const openFailures = async (folder: string, given: readonly Failure[]): Promise<FailureStore> => {
  const path = join(folder, 'failures.json');
  // The lab's configuration changed and replaces the saved failures.
  const origin = JSON.stringify(given);
  const text = await readIfThere(path);
  const kept = text === undefined ? undefined : (JSON.parse(text) as { origin: string; left: unknown });
  let left: readonly Failure[] = kept?.origin === origin ? failuresSchema.parse(kept.left) : given;
  const replace = async (failures: readonly Failure[]): Promise<void> => {
    left = failures;
    await replaceFile(path, JSON.stringify({ origin, left }, null, 2));
  };
  return {
    list: () => left,
    replace,
    take: async <K extends FailureKind>(kind: K, step?: string) => {
      const found = left.find((failure) => concerns(failure, kind, step));
      if (found === undefined) return undefined;
      await replace(left.flatMap((failure) => (failure === found ? usedOnce(failure) : [failure])));
      return found as FailureOf<K>;
    },
  };
};
