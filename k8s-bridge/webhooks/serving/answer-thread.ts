import { parentPort, workerData } from 'node:worker_threads';
import { admittedKinds, defaultedKinds, type KindsOptions } from '../kinds.ts';
import type { ReviewRequest, ThreadMessage } from './lane.ts';
import { createReviews } from './reviews.ts';

/** Answers reviews, one at a time; `lane.ts` starts it. */
const reviews = createReviews(admittedKinds(workerData as KindsOptions), defaultedKinds);

const answerTo = ({ path, body }: ReviewRequest): ThreadMessage => {
  try {
    return { kind: 'answered', reply: reviews.answer(path, body) };
  } catch (error) {
    return { kind: 'failed', error: error instanceof Error ? error : new Error(String(error)) };
  }
};

parentPort?.on('message', (request: ReviewRequest) => parentPort?.postMessage(answerTo(request)));
parentPort?.postMessage({ kind: 'ready', paths: reviews.paths } satisfies ThreadMessage);
