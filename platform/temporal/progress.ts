import type { Context } from '@temporalio/activity';

/** What each running activity shows of its progress. */
const progress = new WeakMap<Context, unknown>();

/** Shows this with the next heartbeat of the activity: in the Web UI, and to who describes its run. */
export const showProgress = (context: Context, shown: unknown): void => void progress.set(context, shown);

/** What the activity shows of its progress; undefined: nothing. */
export const progressOf = (context: Context): unknown => progress.get(context);
