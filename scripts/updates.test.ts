import { readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { ofRoot, ofWorkspaces } from '../test/builders/package-files.ts';

/** The configuration of forges, which nothing else reads here. */
const textOf = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const dependabot = z
  .object({
    updates: z.array(
      z.object({ groups: z.record(z.string(), z.object({ patterns: z.array(z.string()) })).default({}) }),
    ),
  })
  .parse(parse(textOf('.github/dependabot.yml')));
const renovate = z
  .object({
    packageRules: z.array(z.object({ groupName: z.string().optional(), matchPackageNames: z.array(z.string()) })),
  })
  .parse(JSON.parse(textOf('renovate.json')));
const packages = [
  ...new Set(
    [ofRoot, ...ofWorkspaces.values()].flatMap((each) =>
      Object.keys({ ...each.dependencies, ...each.devDependencies }),
    ),
  ),
];

/** The packages of each group. */
const members = (groups: Readonly<Record<string, readonly string[]>>): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    Object.entries(groups).map(([name, patterns]) => [
      name,
      packages.filter((each) => patterns.some((pattern) => matchesGlob(each, pattern))),
    ]),
  );
const ofDependabot = members(
  Object.fromEntries(
    dependabot.updates.flatMap(({ groups }) => Object.entries(groups).map(([name, { patterns }]) => [name, patterns])),
  ),
);
const ofRenovate = members(
  Object.fromEntries(
    renovate.packageRules.flatMap(({ groupName, matchPackageNames }) =>
      groupName === undefined ? [] : [[groupName, matchPackageNames]],
    ),
  ),
);

test('Temporal’s packages are updated together, with the copy of protobufjs that they use', () => {
  const together = packages.filter((each) => each.startsWith('@temporalio/') || each === 'protobufjs');
  expect(ofDependabot['temporal']).toEqual(together);
});

test('every forge groups the same packages, and no group is empty', () => {
  expect(ofRenovate).toEqual(ofDependabot);
  expect(Object.values(ofDependabot).filter((group) => group.length === 0)).toEqual([]);
});

test.each(['.github/workflows/audit.yml', '.gitlab-ci.yml'])(
  '%s audits the lock file, also of what builds and tests',
  (path) => {
    expect(textOf(path)).toMatch(/npm audit --package-lock-only --audit-level=moderate\n/);
  },
);
