import { type OperationResult, resultsOf } from '../../domain/host/results/results.ts';
import { historyOf } from '../../domain/steering/history.ts';
import { KINDS, kindInApi } from '../../kube/kinds.ts';
import { readHost } from '../../kube/objects/baremetalhost.ts';
import { readMetadata } from '../../kube/objects/metadata.ts';
import { readMetal3Machine } from '../../kube/objects/metal3machine.ts';
import type { Named } from '../../kube/paths.ts';
import { endpointsOf, withKube } from '../access.ts';
import { type CalledMachine, machineCalled } from '../called-machine.ts';
import { DONE, type Out, print } from '../out.ts';
import { createReading, notFound, type Reading } from '../reading.ts';
import { fleetHistory } from './fleet.ts';
import { type History, historyLines } from './lines.ts';
import type { FleetHistoryRequest, HistoryRequest } from './options.ts';
import { type AskRunsOf, askRunsOf } from './runs.ts';

const WORDS = { host: KINDS.host.kind, machine: `${KINDS.metal3Machine.kind} or Machine` } as const;

/** Prints what people asked of an object, or of all hosts and machines, and how operations ended. Returns the exit code. */
export const printHistory = (request: HistoryRequest | FleetHistoryRequest, out: Out, now: number): Promise<number> =>
  'name' in request ? ofObject(request, out) : fleetHistory(request, out, now);

async function ofObject(request: HistoryRequest, out: Out): Promise<number> {
  const { kind, output, objectsOnly, dir } = request;
  const endpoints = endpointsOf(dir);
  return withKube(endpoints, async (kube) => {
    const reading = createReading(kube);
    const found = await historyOfObject(request, reading, objectsOnly ? undefined : askRunsOf(endpoints));
    if (found === undefined) return notFound(WORDS[kind], request, reading, out);
    print(out, output, found, historyLines);
    return DONE;
  });
}

/** Of a host that was deleted, only the runs are left. Without `ask`, Temporal is not asked. Returns undefined when there is no such object, or it cannot be read. */
export async function historyOfObject(
  { kind, name, namespace }: Pick<HistoryRequest, 'kind' | 'name' | 'namespace'>,
  reading: Reading,
  ask: AskRunsOf | undefined,
): Promise<History | undefined> {
  const named = { namespace, name };
  if (kind === 'machine') return ofMachine(await machineCalled(reading, named), reading);
  const object = await reading.find(KINDS.host, named);
  if (object === undefined) return reading.unread.length === 0 ? ofGone(named, ask) : undefined;
  const messages = historyOf(readMetadata(object).annotations);
  const runs = await ask?.(named);
  return {
    messages,
    operations: resultsOf(readMetadata(object).annotations),
    operationHistory: readHost(object).operationHistory,
    ...(runs !== undefined && typeof runs !== 'string' && { runs }),
    unread: [...reading.unread, ...(typeof runs === 'string' ? [`runs in Temporal: ${runs}`] : [])],
  };
}

async function ofGone(host: Named, ask: AskRunsOf | undefined): Promise<History | undefined> {
  const runs = await ask?.(host);
  if (runs === undefined || typeof runs === 'string' || runs.length === 0) return undefined;
  const gone = `${KINDS.host.kind} ${host.namespace}/${host.name} does not exist (any more), and its lists went with it`;
  return { messages: [], operations: [], operationHistory: {}, runs, gone, unread: [] };
}

async function ofMachine(machine: CalledMachine | undefined, reading: Reading): Promise<History | undefined> {
  if (machine === undefined) return undefined;
  const messages = historyOf(readMetadata(machine.object).annotations);
  const operations = await operationsFor(machine, reading);
  return { messages, operations, operationHistory: {}, unread: reading.unread };
}

/** The operations that were done for a machine: they are listed on its host, which it names in the same annotation in all APIs. */
async function operationsFor({ kind, object }: CalledMachine, reading: Reading): Promise<readonly OperationResult[]> {
  const { metadata, host } = readMetal3Machine(object);
  const { namespace, name } = metadata;
  const found = host === undefined ? undefined : await reading.find(KINDS.host, { namespace, name: host });
  if (found === undefined) return [];
  const whom = `${kindInApi(kind)} ${namespace}/${name}`;
  return resultsOf(readMetadata(found).annotations).filter((result) => result.for === whom);
}
