import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';

const lockFile = z.object({
  packages: z.record(
    z.string(),
    z.object({
      optionalDependencies: z.record(z.string(), z.string()).optional(),
      integrity: z.string().optional(),
      link: z.boolean().optional(),
      inBundle: z.boolean().optional(),
    }),
  ),
});

const text = readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8');
const { packages } = lockFile.parse(JSON.parse(text));

test('the lock file names the builds for every platform, without which npm ci refuses it', () => {
  const missing = Object.entries(packages).flatMap(([parent, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !(`node_modules/${name}` in packages) && !(`${parent}/node_modules/${name}` in packages),
    ),
  );

  expect(missing).toEqual([]);
});

test('the lock file has a digest of every package that can be installed, on whatever platform', () => {
  const unchecked = Object.entries(packages).filter(
    ([path, { integrity = '', link, inBundle }]) =>
      // Folders of this checkout, links to them, and what comes inside another package.
      path.includes('node_modules/') && link !== true && inBundle !== true && !integrity.startsWith('sha512-'),
  );

  expect(unchecked.map(([path]) => path)).toEqual([]);
});

test('the lock file has one version of each package of ours, which all workspaces find in the folder above', () => {
  const ofOneWorkspace = Object.keys(packages).filter((path) => /^(?!node_modules\/).+\/node_modules\//.test(path));

  expect(ofOneWorkspace).toEqual([]);
});
