import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';

/** An object of any kind, as in a manifest. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** Objects of a file with several YAML documents; empty documents are left out. */
export function readManifestFile<T extends Manifest = Manifest>(
  path: string,
  edit: (text: string) => string = (text) => text,
): readonly T[] {
  return parseAllDocuments(edit(readFileSync(path, 'utf8'))).flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw new Error(`reading ${path}: ${error.message}`, { cause: error });
    const object = document.toJS() as T | null;
    return object === null ? [] : [object];
  });
}
