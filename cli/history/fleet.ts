import { type OperationResult, resultsOf } from '../../domain/host/results/results.ts';
import { entryInWords, type HistoryEntry, historyOf } from '../../domain/steering/history.ts';
import { type FollowedKind, KINDS, kindInApi, MACHINE_API_MACHINES } from '../../kube/kinds.ts';
import { type Metadata, readMetadata } from '../../kube/objects/metadata.ts';
import { endpointsOf, withKube } from '../access.ts';
import { everyObject, type Looking } from '../every-object.ts';
import { DONE, type Out, print } from '../out.ts';
import { operationWords } from './lines.ts';
import type { FleetHistoryRequest } from './options.ts';

/** What a person asked of an object, or how an operation ended. Plain JSON: this is what `--output json` prints. */
export interface FleetEntry {
  /** RFC 3339: when the message came, or the operation ended. */
  readonly at: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly message?: HistoryEntry;
  readonly operation?: OperationResult;
}

/** Prints what people asked of all hosts and machines, and how operations ended, in one list. Returns the exit code. */
export async function fleetHistory(request: FleetHistoryRequest, out: Out, now: number): Promise<number> {
  const { namespace, sinceMs, output, dir } = request;
  return withKube(endpointsOf(dir), async (kube) => {
    const note = (why: string): void => out.aside(`temper: not looked at: ${why}`);
    const entries = await entriesSince(now - sinceMs, { kube, namespace, note });
    print(out, output, entries, fleetLines);
    return DONE;
  });
}

export const fleetLines = (entries: readonly FleetEntry[]): readonly string[] =>
  entries.length === 0
    ? ['nothing in this time']
    : entries.map(({ at, kind, namespace, name, message, operation }) => {
        const words = message === undefined ? operation && operationWords(operation) : entryInWords(message);
        return `${at}  ${kind} ${namespace}/${name}  ${words}`;
      });

/** Reads the metadata of each object alone, page by page: both lists are annotations. The oldest entry comes first. */
export async function entriesSince(since: number, looking: Looking): Promise<readonly FleetEntry[]> {
  const all: FleetEntry[] = [];
  for (const kind of [KINDS.host, KINDS.metal3Machine, ...MACHINE_API_MACHINES])
    for await (const object of everyObject(looking, kind, 'metadata'))
      all.push(...entriesOf(kind, readMetadata(object)).filter(({ at }) => Date.parse(at) >= since));
  return all.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

function entriesOf(kind: FollowedKind, { namespace, name, annotations }: Metadata): readonly FleetEntry[] {
  const of = { kind: kindInApi(kind), namespace, name };
  return [
    ...historyOf(annotations).map((message) => ({ at: message.at, ...of, message })),
    ...resultsOf(annotations).map((operation) => ({ at: operation.end, ...of, operation })),
  ];
}
