import { expect, test } from 'vitest';
import { manifestsIn } from './manifest-file.ts';

const HOST = `apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata:
  name: NAME
`;
const host = (name: string): string => HOST.replace('NAME', name);
const inList = (name: string): string => `- ${host(name).trim().replaceAll('\n', '\n  ')}\n`;
const namesIn = (content: string): readonly string[] =>
  manifestsIn('hosts.yaml', content).manifests.map(({ metadata }) => metadata.name);

test('each document of a file is a manifest, and an empty one is none', () => {
  expect(namesIn(`${host('a')}---\n---\n${host('b')}`)).toEqual(['a', 'b']);
  expect(manifestsIn('hosts.yaml', `${host('a')}---\n`).malformed).toEqual([]);
});

test.each(['List', 'BareMetalHostList'])('the items of a %s are manifests', (kind) => {
  expect(namesIn(`apiVersion: v1\nkind: ${kind}\nitems:\n${inList('a')}${inList('b')}`)).toEqual(['a', 'b']);
});

test('what is no object of Kubernetes is named, and the others are planned', () => {
  const { manifests, malformed } = manifestsIn(
    'hosts.yaml',
    `${host('a')}---\nname: x\n---\nkind: List\nitems:\n- 7\n`,
  );
  expect(manifests).toHaveLength(1);
  expect(malformed).toEqual([
    'document 2 of hosts.yaml, which has no apiVersion, kind or metadata.name',
    'item 1 of document 3 of hosts.yaml, which has no apiVersion, kind or metadata.name',
  ]);
});

test('a document that is no YAML is named, and the others are planned', () => {
  const { manifests, malformed } = manifestsIn('hosts.yaml', `a: [\n---\n${host('a')}---\na: *b\n---\n${host('b')}`);
  expect(manifests).toHaveLength(2);
  expect(malformed).toEqual([
    expect.stringMatching(/^document 1 of hosts\.yaml, which is no YAML: Flow sequence .* at line 2, column 1$/),
    'document 3 of hosts.yaml, which is no YAML: Unresolved alias (the anchor must be set before the alias): b',
  ]);
});
