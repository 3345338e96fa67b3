import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Manifest } from './verdict.ts';

interface Written {
  readonly name: string;
  readonly kind?: string;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly text?: string;
  readonly part?: Manifest['part'];
}

/**
 * The manifests of written.yaml for one kind: complete hosts as people write them, and oddities that no rule covers.
 */
export function writtenManifests(kind: string): readonly Manifest[] {
  const all = parse(readFileSync(join(import.meta.dirname, 'written.yaml'), 'utf8')) as readonly Written[];
  return all
    .filter((written) => (written.kind ?? 'BareMetalHost') === kind)
    .map((written) => toManifest(written, kind));
}

function toManifest({ name, body = {}, text, part = 'object' }: Written, kind: string): Manifest {
  return text === undefined ? { name, kind, part, body } : { name, kind, part, body: text, isText: true };
}
