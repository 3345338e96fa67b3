import { ApplicationFailure, log, metricMeter } from '@temporalio/workflow';
import { type Markdown, markdown } from '../../domain/entity/markdown.ts';

/** Refuses an update, and counts it. It has no call stack: the Web UI's dialog would print it below the reason. */
export function refused(message: string, why: string): ApplicationFailure {
  metricMeter
    .createCounter('temper_messages_refused', 'messages', 'Updates of workflows that were refused')
    .add(1, { message });
  const failure = ApplicationFailure.nonRetryable(why, 'Refused');
  failure.stack = '';
  return failure;
}

/** Messages that were ignored because they are malformed. */
export interface Refusals {
  /** Logs and counts a message; `problem` says what is wrong with it. */
  ignore(message: string, problem: string): void;
  /** A line for the head of the run; '' when nothing was ignored. */
  readonly line: Markdown;
}

export function createRefusals(onIgnored: () => void, uid: () => string | undefined): Refusals {
  const counter = metricMeter.createCounter(
    'temper_messages_ignored',
    'messages',
    'Signals to workflows that were ignored because they were malformed',
  );
  let count = 0;
  let last = '';
  return {
    ignore(message, problem) {
      count += 1;
      last = `${message}: ${problem}`;
      counter.add(1, { message });
      log.warn('message ignored', { message, problem, objectUid: uid() });
      onIgnored();
    },
    get line() {
      return count === 0 ? markdown`` : markdown`\nMessages ignored in this run: ${count}. The last one was ${last}`;
    },
  };
}
