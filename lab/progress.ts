/** One thing a lab gets, makes or starts, on its way to be ready. */
export interface ProgressEvent {
  readonly step: string;
  readonly kind: 'began' | 'detail' | 'done' | 'failed';
  readonly detail?: string;
}

export type OnProgress = (event: ProgressEvent) => void;

/** A heading with the steps under it, which people read one after the other. */
export interface StepGroup {
  readonly title: string;
  readonly steps: readonly string[];
}

/** Runs one step and tells of its beginning, its details and its end. */
export async function inStep<T>(
  onProgress: OnProgress,
  step: string,
  work: (detail: (text: string) => void) => Promise<T>,
  summary?: (result: T) => string,
): Promise<T> {
  onProgress({ step, kind: 'began' });
  try {
    const result = await work((detail) => onProgress({ step, kind: 'detail', detail }));
    onProgress(summary === undefined ? { step, kind: 'done' } : { step, kind: 'done', detail: summary(result) });
    return result;
  } catch (error) {
    onProgress({ step, kind: 'failed', detail: error instanceof Error ? error.message : String(error) });
    throw error;
  }
}
