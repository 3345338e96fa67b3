import { type Entry, historyOf } from '../../domain/steering/history.ts';
import { inWords } from '../../domain/steering/messages.ts';
import { type BareMetalHostRead, readHost } from '../../kube/objects/baremetalhost.ts';
import { objectPath } from '../../kube/paths.ts';
import { endpointsOf, openKube } from '../access.ts';
import { DONE, type Out, REFUSED } from '../out.ts';
import { type HistoryRequest, STEERED_KINDS } from './options.ts';

interface Line {
  readonly at: string;
  readonly text: string;
}

/** Prints what people asked of a host or a machine, and the last operations of a host. All of it is on the object, so it outlives runs. */
export async function history({ kind, name, namespace, output, labFolder }: HistoryRequest, out: Out): Promise<number> {
  const kube = openKube(endpointsOf(labFolder));
  try {
    const object = await kube.find(objectPath(STEERED_KINDS[kind], { namespace, name }));
    if (object === undefined) {
      out.aside(`temper: there is no ${STEERED_KINDS[kind].kind} ${namespace}/${name}`);
      return REFUSED;
    }
    const { metadata, operationHistory } = readHost(object);
    const messages = historyOf(metadata.annotations);
    if (output === 'json') out.line(JSON.stringify({ messages, operations: operationHistory }, null, 2));
    else for (const line of historyLines(messages, operationHistory)) out.line(line);
    return DONE;
  } finally {
    await kube.close();
  }
}

/** The oldest first. */
export function historyLines(
  messages: readonly Entry[],
  spans: BareMetalHostRead['operationHistory'],
): readonly string[] {
  const asked = messages.map(
    (entry): Line => ({ at: entry.at, text: `${entry.what} ${inWords(entry)}${entry.open ? ' (holds)' : ''}` }),
  );
  const done = Object.entries(spans).flatMap(([what, { start, end }]): readonly Line[] =>
    start ? [{ at: start, text: `${what}: ${end ? `took ${secondsBetween(start, end)} s` : 'not ended yet'}` }] : [],
  );
  const lines = [...asked, ...done].toSorted((a, b) => (a.at === b.at ? 0 : a.at < b.at ? -1 : 1));
  return lines.length === 0 ? ['nothing yet'] : lines.map(({ at, text }) => `${at}  ${text}`);
}

const secondsBetween = (start: string, end: string): number =>
  Math.round((Date.parse(end) - Date.parse(start)) / 1_000);
