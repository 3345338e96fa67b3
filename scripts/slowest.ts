import { relative } from 'node:path';
import type { FileResult } from './vitest-run.ts';

/** The test files that took longest, the slowest first, a line each: seconds and path. */
export function slowest(files: readonly FileResult[], count: number): string {
  const lines = files
    .toSorted((a, b) => b.durationMs - a.durationMs)
    .slice(0, count)
    .map(
      ({ file, durationMs }) => `${(durationMs / 1_000).toFixed(1).padStart(7)} s  ${relative(process.cwd(), file)}\n`,
    );
  return `the slowest test files:\n${lines.join('')}`;
}
