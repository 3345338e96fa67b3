import { type Client, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { unpauseCommand } from '../../domain/entity/paused-run.ts';
import { messageOf } from '../../domain/message-of.ts';
import { steeringRefusalOfInput } from '../../domain/steering/messages.ts';
import { kindInApi, MACHINE_API_MACHINES } from '../../kube/kinds.ts';
import { isPausedRun } from '../../platform/temporal/paused-run.ts';
import { entityWorkflowId, STEERING_MESSAGES } from '../../workflows/messages.ts';
import { type Endpoints, endpointsOf, openKube, temporalCommandOf, withKube } from '../access.ts';
import { DONE, type Out, REFUSED, UNREACHABLE, WRONG } from '../out.ts';
import { openClient } from '../temporal-client.ts';
import { askAll, type ExitCode } from './ask-all.ts';
import { called, PATIENCE_MS } from './called.ts';
import type { SteerRequest } from './options.ts';
import { type Selected, type SteeredObject, select } from './selected.ts';

/** Sends the message to the object, or to all selected objects. Returns the exit code. */
export async function steer(request: SteerRequest, out: Out): Promise<number> {
  const problem = steeringRefusalOfInput(request.message, request.input);
  if (problem !== undefined) {
    out.aside(`temper: ${problem}`);
    return WRONG;
  }
  const endpoints = endpointsOf(request.dir);
  const { name, namespace } = request;
  const selected = name === undefined ? await selectedIn(endpoints, request, out) : undefined;
  if (selected?.targets.length === 0) {
    if (selected.isPartial) return UNREACHABLE;
    const needing = selected.isAny ? ' needs it' : ' is selected';
    out.aside(`temper: no ${request.kind} of namespace ${namespace}${needing}`);
    return selected.isAny ? DONE : WRONG;
  }
  const temporal = await openClient(endpoints);
  try {
    const { client } = temporal;
    const temporalCommand = temporalCommandOf(endpoints);
    const calling = { client, openKube: () => openKube(endpoints), out };
    const named = name === undefined ? undefined : await called(request.kind, { namespace, name }, calling);
    const targets = selected?.targets ?? (named === undefined ? [] : [named]);
    if (targets.length === 0) return UNREACHABLE;
    const code = await askAll(targets, {
      atOnce: request.atOnce,
      ask: (each) => ask({ client, temporalCommand }, request, each, out),
      tell: out.aside,
    });
    return selected?.isPartial ? UNREACHABLE : code;
  } finally {
    await temporal.close();
  }
}

const selectedIn = (endpoints: Endpoints, request: SteerRequest, out: Out): Promise<Selected> =>
  withKube(endpoints, (kube) => select(request, kube, out.aside));

/** Prints the answer. That of a Machine of the Machine API begins with its kind. */
export async function ask(
  { client, temporalCommand }: { readonly client: Client; readonly temporalCommand: string },
  { namespace, message, input }: Pick<SteerRequest, 'namespace' | 'message' | 'input'>,
  { kind, name }: SteeredObject,
  out: Out,
): Promise<ExitCode> {
  const of = MACHINE_API_MACHINES.some((each) => each === kind) ? `${kind.kind}: ` : '';
  const workflowId = entityWorkflowId(kind.kind, { namespace, name });
  try {
    const said = await client.withDeadline(Date.now() + PATIENCE_MS, () =>
      client.workflow.getHandle(workflowId).executeUpdate(STEERING_MESSAGES[message].asUpdate, { args: [input] }),
    );
    out.line(`${of}${said}`);
    return DONE;
  } catch (error) {
    if (error instanceof WorkflowUpdateFailedError) {
      out.line(`refused: ${of}${messageOf(error.cause ?? error)}`);
      return REFUSED;
    }
    const why = whyUnreachable(error, kindInApi(kind), unpauseCommand(workflowId, temporalCommand));
    out.aside(`temper: ${of}${namespace}/${name}: ${why}`);
    return UNREACHABLE;
  }
}

function whyUnreachable(error: unknown, kind: string, unpause: string): string {
  if (error instanceof WorkflowNotFoundError)
    return `it has no run in Temporal: does the ${kind} exist, and does the bridge work?`;
  return isPausedRun(error) ? `its run is paused in Temporal: ${unpause}` : messageOf(error);
}
