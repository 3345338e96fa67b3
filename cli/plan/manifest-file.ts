import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { type PlannedManifest, readManifest } from './applied.ts';

/** `kind: List`, as `kubectl get -o yaml` writes several objects, or a list of one kind. */
const list = z.object({ kind: z.string().endsWith('List'), items: z.array(z.unknown()) });

export interface ManifestFile {
  readonly manifests: readonly PlannedManifest[];
  /** The documents that are no objects of Kubernetes. */
  readonly unread: readonly string[];
}

/** The objects in a file, also those in lists; throws when it is no YAML. `file` is its name for messages. */
export function manifestsIn(file: string, content: string): ManifestFile {
  const found = parseAllDocuments(content).flatMap((document, at) => {
    const [problem] = document.errors;
    if (problem !== undefined) throw new Error(`${file} is no YAML: ${problem.message}`);
    const place = `document ${at + 1} of ${file === '-' ? 'the standard input' : file}`;
    const object: unknown = document.toJS();
    if (object === null || object === undefined) return [];
    const items = list.safeParse(object).data?.items;
    if (items === undefined) return [{ place, object }];
    return items.map((item, number) => ({ place: `item ${number + 1} of ${place}`, object: item }));
  });
  return {
    manifests: found.flatMap(({ object }) => readManifest(object) ?? []),
    unread: found
      .filter(({ object }) => readManifest(object) === undefined)
      .map(({ place }) => `${place}, which has no apiVersion, kind or metadata.name`),
  };
}
