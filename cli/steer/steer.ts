import { type Client, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { messageOf } from '../../domain/message-of.ts';
import { steeringRefusalOfInput } from '../../domain/steering/messages.ts';
import { isPausedRun, unpauseCommand } from '../../platform/temporal/paused-run.ts';
import { entityWorkflowId, STEERING_MESSAGES } from '../../workflows/messages.ts';
import { endpointsOf, openKube } from '../access.ts';
import { DONE, type Out, REFUSED, UNREACHABLE, WRONG } from '../out.ts';
import { openClient } from '../temporal-client.ts';
import { askAll, type ExitCode } from './ask-all.ts';
import { STEERED_KINDS, type SteerRequest } from './options.ts';
import { type Selected, selectedNames } from './selected.ts';

/** How long an object may take to answer: its run may be replayed first. */
const PATIENCE_MS = 90_000;

/** Sends the message to the object, or to all selected objects. Returns the exit code. */
export async function steer(request: SteerRequest, out: Out): Promise<number> {
  const problem = steeringRefusalOfInput(request.message, request.input);
  if (problem !== undefined) {
    out.aside(`temper: ${problem}`);
    return WRONG;
  }
  const endpoints = endpointsOf(request.labFolder);
  const { names, isAny } =
    request.name === undefined
      ? await select(request, openKube(endpoints), out)
      : { names: [request.name], isAny: true };
  if (names.length === 0) {
    const needing = isAny ? ' needs it' : ' is selected';
    out.aside(`temper: no ${request.kind} of namespace ${request.namespace}${needing}`);
    return isAny ? DONE : WRONG;
  }
  const temporal = await openClient(endpoints);
  try {
    return await askAll(names, {
      atOnce: request.atOnce,
      ask: (name) => ask(temporal.client, request, name, out),
      tell: out.aside,
    });
  } finally {
    await temporal.close();
  }
}

async function ask(client: Client, request: SteerRequest, name: string, out: Out): Promise<ExitCode> {
  const { kind, namespace, message, input } = request;
  const workflowId = entityWorkflowId(STEERED_KINDS[kind].kind, { namespace, name });
  try {
    const said = await client.withDeadline(Date.now() + PATIENCE_MS, () =>
      client.workflow.getHandle(workflowId).executeUpdate(STEERING_MESSAGES[message].asUpdate, { args: [input] }),
    );
    out.line(said);
    return DONE;
  } catch (error) {
    if (error instanceof WorkflowUpdateFailedError) {
      out.line(`refused: ${messageOf(error.cause ?? error)}`);
      return REFUSED;
    }
    const why = whyUnreachable(error, workflowId, STEERED_KINDS[kind].kind);
    out.aside(`temper: ${namespace}/${name}: ${why}`);
    return UNREACHABLE;
  }
}

function whyUnreachable(error: unknown, workflowId: string, kind: string): string {
  if (error instanceof WorkflowNotFoundError)
    return `it has no run in Temporal: does the ${kind} exist, and does the bridge work?`;
  return isPausedRun(error) ? `its run is paused in Temporal: ${unpauseCommand(workflowId)}` : messageOf(error);
}

async function select(request: SteerRequest, kube: ReturnType<typeof openKube>, out: Out): Promise<Selected> {
  try {
    return await selectedNames(kube, STEERED_KINDS[request.kind], request, out.aside);
  } finally {
    await kube.close();
  }
}
