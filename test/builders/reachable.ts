import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { inRepository } from './compose-file.ts';

interface Reachable {
  /** Paths relative to the repository. */
  readonly files: readonly string[];
  readonly packages: readonly string[];
}

/**
 * All files that a program loads through import statements; type imports load nothing. Throws when a file is missing.
 */
export function reachableFrom(program: string): Reachable {
  const files = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    for (const wanted of importsOf(readFileSync(inRepository(file), 'utf8'))) {
      if (wanted.startsWith('.')) visit(posix.join(posix.dirname(file), wanted));
      else if (!isBuiltin(wanted)) packages.add(packageOf(wanted));
    }
  };
  visit(program);
  return { files: [...files], packages: [...packages] };
}

const importsOf = (source: string): readonly string[] =>
  [...source.matchAll(/^(?:import|export)\s(?!type\s)(?:[^;]*?\sfrom\s)?'([^']+)';/gm)].map(
    ([, wanted = '']) => wanted,
  );

const packageOf = (wanted: string): string =>
  wanted
    .split('/')
    .slice(0, wanted.startsWith('@') ? 2 : 1)
    .join('/');
