import { type Document, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { messageOf } from '../../domain/message-of.ts';
import { type PlannedManifest, readManifest } from './applied.ts';

/** `kind: List`, as `kubectl get -o yaml` writes several objects, or a list of one kind. */
const list = z.object({ kind: z.string().endsWith('List'), items: z.array(z.unknown()) });

export interface ManifestFile {
  readonly manifests: readonly PlannedManifest[];
  /** The documents that are no YAML or no objects of Kubernetes, each with the reason. */
  readonly malformed: readonly string[];
}

interface Found {
  readonly place: string;
  readonly object?: unknown;
  /** Why the document could not be parsed. */
  readonly problem?: string;
}

/** The objects in a file, also those in lists. `file` is its name for messages. */
export function manifestsIn(file: string, content: string): ManifestFile {
  const found = parseAllDocuments(content).flatMap((document, at): readonly Found[] => {
    const place = `document ${at + 1} of ${file === '-' ? 'the standard input' : file}`;
    const { object, problem } = parsed(document);
    if (problem !== undefined) return [{ place, problem }];
    if (object === null || object === undefined) return [];
    const items = list.safeParse(object).data?.items;
    if (items === undefined) return [{ place, object }];
    return items.map((item, number) => ({ place: `item ${number + 1} of ${place}`, object: item }));
  });
  return {
    manifests: found.flatMap(({ object }) => readManifest(object) ?? []),
    malformed: found
      .filter(({ object }) => readManifest(object) === undefined)
      .map(({ place, problem }) =>
        problem === undefined
          ? `${place}, which has no apiVersion, kind or metadata.name`
          : `${place}, which is no YAML: ${problem}`,
      ),
  };
}

/** An alias without its anchor is found only when the document is converted. */
function parsed(document: Pick<Document.Parsed, 'errors' | 'toJS'>): Omit<Found, 'place'> {
  const [error] = document.errors;
  if (error !== undefined) return { problem: firstLine(error.message) };
  try {
    return { object: document.toJS() };
  } catch (thrown) {
    return { problem: firstLine(messageOf(thrown)) };
  }
}

/** The parser adds an excerpt of the file. */
const firstLine = (message: string): string => message.replace(/:?\n.*$/s, '');
