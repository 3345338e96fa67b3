import { basename } from 'node:path';
import { expect, inject } from 'vitest';

/**
 * The namespace of the running test file. In a shared lab each file has one with its own name, in Kubernetes and in
 * Temporal; in a lab of its own a file uses `default`. Files run one after the other in the same process: read it when
 * a test runs, not when a module is loaded.
 */
export let NAMESPACE = '';

/** Called before each file. */
export function nameNamespace(): void {
  NAMESPACE = inject('sharedLab') === undefined ? 'default' : nameOfTestFile();
}

function nameOfTestFile(): string {
  const { testPath } = expect.getState();
  if (testPath === undefined) throw new Error('no test file runs, so it has no namespace');
  return basename(testPath, '.test.ts');
}
