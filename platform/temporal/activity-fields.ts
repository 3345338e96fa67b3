import { asyncLocalStorage, Context } from '@temporalio/activity';
import type { ActivityInboundCallsInterceptor, ActivityOutboundCallsInterceptor } from '@temporalio/worker';

/** The uid of the object for which each running activity works. */
const uids = new WeakMap<Context, string>();

/** Remembers the uid of the object in an activity's input, for its lines in the log. */
export const rememberUid: ActivityInboundCallsInterceptor = {
  execute(input, next) {
    const context = Context.current();
    const uid = uidOf(context.info.workflowExecution?.workflowId ?? '', input.args[0]);
    if (uid !== undefined) uids.set(context, uid);
    return next(input);
  },
};

/** Fields of each log line of an activity: its run, and the object of that run. */
export function activityFields(): Readonly<Record<string, string>> {
  const context = asyncLocalStorage.getStore();
  return context === undefined ? {} : fieldsOf(context);
}

/** The same fields for the lines of the SDK itself, which it writes when an activity has ended. */
export const fieldsForSdk = (context: Context): ActivityOutboundCallsInterceptor => ({
  getLogAttributes: (input, next) => next({ ...input, ...fieldsOf(context) }),
});

function fieldsOf(context: Context): Readonly<Record<string, string>> {
  if (context.info.workflowExecution === undefined) return {};
  const { workflowId, runId } = context.info.workflowExecution;
  const uid = uids.get(context);
  return { workflowId, runId, ...runFields(workflowId), ...(uid !== undefined && { objectUid: uid }) };
}

/** The uid of the run's own object: an input may also name other objects with the same name. */
function uidOf(workflowId: string, order: unknown): string | undefined {
  const [kind, namespace, name] = workflowId.split('/');
  const { [kind === 'baremetalhost' ? 'host' : 'machine']: named, view } = record(order);
  return [named, view, order]
    .map(record)
    .flatMap((each) => (each['namespace'] === namespace && each['name'] === name ? [each['uid']] : []))
    .find((uid) => typeof uid === 'string');
}

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

/** The object for which a workflow runs, as in all lines of the log; nothing for workflows without an object. */
export function runFields(workflowId: unknown): Readonly<Record<string, string>> {
  if (typeof workflowId !== 'string') return {};
  const [, namespace, name] = workflowId.split('/');
  return namespace === undefined || name === undefined ? {} : { objectNamespace: namespace, objectName: name };
}
