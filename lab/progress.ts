import { messageOf } from '../domain/message-of.ts';
/** One step of a lab's start. */
export interface ProgressEvent {
  readonly step: string;
  readonly kind: 'began' | 'detail' | 'done' | 'failed';
  readonly detail?: string;
}

export type OnProgress = (event: ProgressEvent) => void;

/** A heading and its steps, which run one after the other. */
export interface StepGroup {
  readonly title: string;
  readonly steps: readonly string[];
}

/** Runs one step and reports its start, its details and its end. */
export async function inStep<T>(
  onProgress: OnProgress,
  step: string,
  work: (detail: (text: string) => void) => Promise<T>,
  summary?: (result: T) => string | undefined,
): Promise<T> {
  onProgress({ step, kind: 'began' });
  try {
    const result = await work((detail) => onProgress({ step, kind: 'detail', detail }));
    const detail = summary?.(result);
    onProgress({ step, kind: 'done', ...(detail !== undefined && { detail }) });
    return result;
  } catch (error) {
    onProgress({ step, kind: 'failed', detail: messageOf(error) });
    throw error;
  }
}
