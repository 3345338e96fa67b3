import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type CustomResourceDefinition, toDefinition } from '../deploy/crds/definition.ts';
import { readDifferences } from '../scripts/conformance.ts';
import { customResources } from './crds.ts';

/** The folder of baremetal-operator's CRDs; those of its sibling projects are in folders beside it. */
const folder = process.env['METAL3_CRDS'] ?? '';
const siblings = ['../cluster-api-provider-metal3', '../ip-address-manager'];
const reason =
  folder === ''
    ? "METAL3_CRDS is not set; point it at a folder of baremetal-operator's CRDs to compare ours with them"
    : existsSync(folder)
      ? ''
      : `METAL3_CRDS names a folder that does not exist: ${folder}`;

if (reason !== '') process.stderr.write(`Parity with upstream's CRDs is not checked: ${reason}\n`);

const upstream = new Map(
  (reason === '' ? ['.', ...siblings] : [])
    .map((sibling) => join(folder, sibling))
    .flatMap((place) => readdirSync(place).map((file) => join(place, file)))
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => parse(readFileSync(file, 'utf8')) as CustomResourceDefinition)
    .map((definition) => [definition.metadata.name, definition] as const),
);

type Rules = Record<string, unknown>;

const compareText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/**
 * One line for each rule of each field. Descriptions are our own and are not compared; neither is the order of sets.
 */
function rulesOf(schema: unknown, path = '', into: Rules = {}): Rules {
  if (typeof schema !== 'object' || schema === null) return into;
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'description') continue;
    if (keyword === 'properties')
      for (const [name, field] of Object.entries(value as object)) rulesOf(field, `${path}.${name}`, into);
    else if (keyword === 'items') rulesOf(value, `${path}[]`, into);
    else if (keyword === 'additionalProperties') rulesOf(value, `${path}[*]`, into);
    else into[`${path} ${keyword}`] = isSet(keyword, value) ? value.map(String).sort(compareText) : value;
  }
  return into;
}

const isSet = (keyword: string, value: unknown): value is unknown[] =>
  Array.isArray(value) && (keyword === 'required' || keyword === 'enum');

function descriptionsOf(schema: unknown, path = '', into: Record<string, string> = {}): Record<string, string> {
  if (typeof schema !== 'object' || schema === null) return into;
  for (const [name, value] of Object.entries(schema)) {
    if (name === 'description' && typeof value === 'string') into[path] = value.replaceAll(/\s+/g, ' ').trim();
    else descriptionsOf(value, `${path}.${name}`, into);
  }
  return into;
}

/** Columns that upstream's CRDs do not have, each with the row of a page of conformance that says so. */
const ADDED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'baremetalhosts.metal3.io': { Reason: 'C96', Paused: 'C128' },
  'metal3clusters.infrastructure.cluster.x-k8s.io': { Reason: 'm3-C140' },
  'metal3machines.infrastructure.cluster.x-k8s.io': { Reason: 'm3-C140' },
  'metal3datas.infrastructure.cluster.x-k8s.io': {
    Machine: 'm3-C140',
    Template: 'm3-C140',
    Index: 'm3-C140',
    Ready: 'm3-C140',
    Reason: 'm3-C140',
  },
  'metal3dataclaims.infrastructure.cluster.x-k8s.io': { Data: 'm3-C140', Reason: 'm3-C140' },
  'ipclaims.ipam.metal3.io': { Address: 'ip-C40', Reason: 'ip-C40' },
};

/** Rules of upstream's CRDs that ours do not have, with the row of a page of conformance that says so. */
const LEFT_OUT: Readonly<Record<string, readonly [row: string, paths: readonly string[]]>> = {
  'metal3machines.infrastructure.cluster.x-k8s.io': ['m3-C163', ['.spec.hostSelector.matchExpressions']],
  'metal3machinetemplates.infrastructure.cluster.x-k8s.io': [
    'm3-C163',
    ['.spec.template.spec.hostSelector.matchExpressions'],
  ],
};
const LIST_RULES = ['x-kubernetes-list-type', 'x-kubernetes-list-map-keys'];

const ours = customResources.map(toDefinition);
const named = ours.map((definition) => [definition.metadata.name, definition] as const);

describe.skipIf(reason !== '')('the wire contract', () => {
  const theirs = (name: string): CustomResourceDefinition => {
    const definition = upstream.get(name);
    if (definition === undefined) throw new Error(`${folder} has no CRD ${name}`);
    return definition;
  };

  test.each(named)('%s has the fields, types, rules and defaults of upstream', (name, definition) => {
    const [, paths = []] = LEFT_OUT[name] ?? [];
    const leftOut = paths.flatMap((path) => LIST_RULES.map((rule) => `${path} ${rule}`));
    const rules = ({ spec }: CustomResourceDefinition, without: readonly string[] = []): unknown =>
      Object.fromEntries(
        spec.versions.map((version) => [
          version.name,
          Object.fromEntries(
            Object.entries(rulesOf(version.schema.openAPIV3Schema)).filter(([line]) => !without.includes(line)),
          ),
        ]),
      );
    expect(rules(definition)).toEqual(rules(theirs(name), leftOut));
  });

  test.each(named)('%s has the names, columns and subresources of upstream', (name, definition) => {
    const added = Object.keys(ADDED[name] ?? {});
    const outside = ({ spec }: CustomResourceDefinition, isOurs = false): unknown => {
      const versions = spec.versions.map(
        ({ schema: _schema, additionalPrinterColumns = [], subresources = {}, ...version }) => ({
          ...version,
          subresources,
          columns: additionalPrinterColumns
            .filter((column) => !isOurs || !added.includes(column.name))
            .map((column) => ({ ...column, description: '' })),
        }),
      );
      // Upstream adds the conversion webhook only in its release.
      const { conversion: _conversion, ...outer } = spec;
      return { ...outer, versions };
    };
    expect(outside(definition, true)).toEqual(outside(theirs(name)));
  });

  test.each(named)('%s describes its fields in words of its own', (name, definition) => {
    const expected = Object.values(descriptionsOf(theirs(name))).filter((words) => words.split(' ').length > 3);
    const copied = Object.entries(descriptionsOf(definition)).filter(([, words]) =>
      expected.some((theirWords) => theirWords.toLowerCase() === words.toLowerCase()),
    );
    expect(copied).toEqual([]);
  });
});

describe('columns of our own', () => {
  test.each(Object.entries(ADDED))('of %s are in each version, as a row says', (name, added) => {
    const columns = Object.keys(added);
    const definition = ours.find(({ metadata }) => metadata.name === name);
    const found = definition?.spec.versions.map(({ additionalPrinterColumns = [] }) =>
      additionalPrinterColumns.map((column) => column.name).filter((column) => columns.includes(column)),
    );
    expect(found).toEqual(definition?.spec.versions.map(() => columns));
    const rows = readDifferences();
    for (const row of Object.values(added)) expect(rows).toContain(row);
  });
});

describe('rules of upstream that we do not have', () => {
  test.each(Object.entries(LEFT_OUT))(
    'of %s: two items of a list may have one key, as a row says',
    (name, [row, paths]) => {
      const definition = ours.find(({ metadata }) => metadata.name === name);
      const lines =
        definition?.spec.versions.flatMap(({ schema }) => Object.keys(rulesOf(schema.openAPIV3Schema))) ?? [];
      for (const path of paths) {
        expect(lines).toContain(`${path}[] type`);
        for (const rule of LIST_RULES) expect(lines).not.toContain(`${path} ${rule}`);
      }
      expect(readDifferences()).toContain(row);
    },
  );
});

describe('every CRD', () => {
  test.each(named)('%s describes every field but the metadata', (_name, definition) => {
    const undescribed: string[] = [];
    const look = (schema: unknown, path: string): void => {
      if (typeof schema !== 'object' || schema === null) return;
      const { properties = {}, items } = schema as { properties?: object; items?: unknown };
      for (const [field, child] of Object.entries(properties) as [string, object][]) {
        if (!('description' in child) && field !== 'metadata') undescribed.push(`${path}.${field}`);
        look(child, `${path}.${field}`);
      }
      look(items, `${path}[]`);
    };
    for (const { name, schema } of definition.spec.versions) look(schema.openAPIV3Schema, name);
    expect(undescribed).toEqual([]);
  });
});
