import { type Client, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { messageOf } from '../../domain/message-of.ts';
import { steeringRefusalOfInput } from '../../domain/steering/messages.ts';
import type { Kube } from '../../kube/client.ts';
import { ifInstalled } from '../../kube/installed.ts';
import { type FollowedKind, MACHINE_API_MACHINES } from '../../kube/kinds.ts';
import { readMetadata } from '../../kube/objects/metadata.ts';
import type { Named } from '../../kube/paths.ts';
import { isPausedRun, unpauseCommand } from '../../platform/temporal/paused-run.ts';
import { entityWorkflowId, STEERING_MESSAGES } from '../../workflows/messages.ts';
import { type Endpoints, endpointsOf, openKube } from '../access.ts';
import { machineCalled } from '../called-machine.ts';
import { DONE, type Out, REFUSED, UNREACHABLE, WRONG } from '../out.ts';
import { createReading } from '../reading.ts';
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
  const { name, namespace } = request;
  const selected = name === undefined ? await select(request, openKube(endpoints), out) : undefined;
  if (selected?.names.length === 0) {
    const needing = selected.isAny ? ' needs it' : ' is selected';
    out.aside(`temper: no ${request.kind} of namespace ${namespace}${needing}`);
    return selected.isAny ? DONE : WRONG;
  }
  const temporal = await openClient(endpoints);
  try {
    const named = { namespace, name: name ?? '' };
    const { kind, names } = selected ?? (await called(named, request, { ...temporal, endpoints, out }));
    return await askAll(names, {
      atOnce: request.atOnce,
      ask: (each) => ask(temporal.client, request, { kind, name: each }, out),
      tell: out.aside,
    });
  } finally {
    await temporal.close();
  }
}

/** The objects that are asked, of one kind. */
interface Asked {
  readonly kind: FollowedKind;
  readonly names: readonly string[];
}

/**
 * The object of this name. The API server is asked only when no Metal3Machine of the name has a run: then it may be the
 * name of a Machine.
 */
async function called(
  named: Named,
  { kind }: SteerRequest,
  { client, endpoints, out }: { readonly client: Client; readonly endpoints: Endpoints; readonly out: Out },
): Promise<Asked> {
  const asked = { kind: STEERED_KINDS[kind], names: [named.name] };
  if (kind === 'host' || (await isRunning(client, entityWorkflowId(asked.kind.kind, named)))) return asked;
  const kube = openKube(endpoints);
  try {
    const reading = createReading(kube);
    const found = await machineCalled(reading, named);
    if (found !== undefined) return { kind: found.kind, names: [readMetadata(found.object).name] };
    for (const why of reading.unread) out.aside(`temper: ${why}`);
    return asked;
  } finally {
    await kube.close();
  }
}

async function isRunning(client: Client, workflowId: string): Promise<boolean> {
  try {
    const { closeTime } = await client.workflow.getHandle(workflowId).describe();
    return closeTime === undefined;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

async function ask(
  client: Client,
  { namespace, message, input }: SteerRequest,
  { kind, name }: { readonly kind: FollowedKind; readonly name: string },
  out: Out,
): Promise<ExitCode> {
  const workflowId = entityWorkflowId(kind.kind, { namespace, name });
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
    const why = whyUnreachable(error, workflowId, kind.apiKind ?? kind.kind);
    out.aside(`temper: ${namespace}/${name}: ${why}`);
    return UNREACHABLE;
  }
}

function whyUnreachable(error: unknown, workflowId: string, kind: string): string {
  if (error instanceof WorkflowNotFoundError)
    return `it has no run in Temporal: does the ${kind} exist, and does the bridge work?`;
  return isPausedRun(error) ? `its run is paused in Temporal: ${unpauseCommand(workflowId)}` : messageOf(error);
}

async function select(request: SteerRequest, kube: Kube, out: Out): Promise<Asked & Selected> {
  const of = (kind: FollowedKind): Promise<Selected> => selectedNames(kube, kind, request, out.aside);
  const kind = STEERED_KINDS[request.kind];
  try {
    if (request.kind === 'host') return { kind, ...(await of(kind)) };
    for (const each of [kind, ...MACHINE_API_MACHINES]) {
      // eslint-disable-next-line no-await-in-loop -- the next kind is asked for only when this one has none
      const selected = await ifInstalled(of(each));
      if (selected?.isAny) return { kind: each, ...selected };
    }
    return { kind, names: [], isAny: false };
  } finally {
    await kube.close();
  }
}
