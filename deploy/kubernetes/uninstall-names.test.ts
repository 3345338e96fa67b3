import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { type ClusterKind, isOfManifests, NAMES } from '../../cli/uninstall/names.ts';
import { rendered } from '../../test/builders/rendered.ts';

const KINDS = Object.keys(NAMES) as ClusterKind[];
const named = z.object({ kind: z.enum(KINDS), metadata: z.object({ name: z.string() }) });
type Named = readonly [ClusterKind, string];

const namesIn = (manifests: readonly unknown[]): readonly Named[] =>
  manifests.flatMap((one) => {
    const { data } = named.safeParse(one);
    return data === undefined ? [] : [[data.kind, data.metadata.name] as const];
  });
const unknownIn = (names: readonly Named[]): readonly string[] =>
  names.filter(([kind, name]) => !isOfManifests(kind, name)).map(([, name]) => name);

/** Neither our overlays nor the chart, which is made of the same manifests, give them other names. */
const inManifests = (): readonly Named[] =>
  globSync('{.,base,components/*}/*.yaml', { cwd: import.meta.dirname })
    .filter((file) => !file.endsWith('kustomization.yaml'))
    .flatMap((file) => parseAllDocuments(readFileSync(join(import.meta.dirname, file), 'utf8')))
    .flatMap((document) => namesIn([document.toJS()]));

test('`temper uninstall` knows the names of all roles, bindings and policies of the manifests, and no others', () => {
  const names = new Map(KINDS.map((kind) => [kind, new Set<string>()]));
  for (const [kind, name] of inManifests()) names.get(kind)?.add(name);
  expect(Object.fromEntries([...names].map(([kind, each]) => [kind, [...each].toSorted()]))).toEqual(NAMES);
});

test('it knows those of clusterctl, too, except names that are also those of Metal3', async () => {
  const pools = namesIn(await rendered('clusterctl/ipam'));
  expect(pools).not.toEqual([]);
  expect(unknownIn(pools)).toEqual([]);
  const unknown = unknownIn(namesIn(await rendered('clusterctl/infrastructure')));
  expect(unknown.filter((name) => !name.startsWith('capm3-'))).toEqual([]);
});

test('it takes names that only contain `temper` for names of others', () => {
  for (const name of ['temperature-exporter', 'attempter', 'my-temper-bridge-role', 'temper', 'ipam-attempter'])
    expect(KINDS.filter((kind) => isOfManifests(kind, name))).toEqual([]);
});
