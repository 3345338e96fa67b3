import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const FOLDERS = 'api,domain,workflows,activities,workers,k8s-bridge,kube,platform,cli,lab';
const EXPORTED = /^export (?:declare )?(?:abstract )?(?:interface|type|class|enum) (\w+)/gm;

/** Where each exported type is declared, as paths from the root. */
function declarations(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const file of globSync(`{${FOLDERS}}/**/*.ts`, { cwd: ROOT })) {
    if (file.endsWith('.test.ts')) continue;
    for (const [, name = ''] of readFileSync(join(ROOT, file), 'utf8').matchAll(EXPORTED))
      found.set(name, [...(found.get(name) ?? []), file]);
  }
  return found;
}

test('no two exported types have the same name', () => {
  const all = declarations();
  expect(all.size).toBeGreaterThan(500);
  expect([...all].filter(([, files]) => files.length > 1)).toEqual([]);
});
