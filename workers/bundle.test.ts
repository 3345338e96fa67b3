import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cachedBundle, configuredBundle } from './bundle.ts';

const CODE =
  "const FAILURES = 'temper-failures-plain'; const WORKERS = 'temper-workers-unversioned'; const T = 'temporal-of-the-PATH';";
const OFF = { encodesFailures: false, hasVersions: false };

describe('the workflow bundle', () => {
  test.each([
    [OFF, CODE],
    [{ ...OFF, encodesFailures: true }, CODE.replace('plain', 'encoded')],
    [{ ...OFF, hasVersions: true }, CODE.replace('unversioned', 'versioned')],
    [{ ...OFF, temporalCommand: 'npx temper temporal' }, CODE.replace('temporal-of-the-PATH', 'npx temper temporal')],
    [
      { ...OFF, temporalCommand: "A='b\\$&' t" },
      CODE.replace('temporal-of-the-PATH', String.raw`A=\u0027b\u005c\u0024\u0026\u0027 t`),
    ],
  ])('has the settings %o', (settings, code) => {
    expect(configuredBundle({ code: CODE }, settings)).toEqual({ code });
  });

  test('that has no place for a setting is refused', () => {
    expect(() => configuredBundle({ code: '' }, OFF)).toThrow('does not contain temper-failures-plain once');
  });
});

test('the bundle is translated for the Node that runs it, with lines alone in its source map', async () => {
  const { code } = await cachedBundle();
  const map = Buffer.from(code.slice(code.lastIndexOf('base64,') + 'base64,'.length), 'base64').toString();
  expect(code).not.toContain('function _object_spread');
  expect(JSON.parse(map)).toMatchObject({ names: [] });
  expect(JSON.parse(map)).not.toHaveProperty('sourcesContent');
});

test('no module of the bundle keeps anything, because all runs of a worker share them', async () => {
  const root = join(import.meta.dirname, '..');
  const folders = ['workflows', 'domain', 'api'].map(async (folder) => {
    const files = await readdir(join(root, folder), { recursive: true });
    return files.filter((file) => /(?<!\.test)\.ts$/.test(file)).map((file) => join(root, folder, file));
  });
  const kept = (await Promise.all(folders)).flat().map(async (file) => {
    const lines = (await readFile(file, 'utf8')).split('\n');
    return lines.filter((line) => KEEPS.test(line)).map((line) => `${file}: ${line}`);
  });
  expect((await Promise.all(kept)).flat()).toEqual([]);
});
/** A variable of a module, or an empty collection that is filled later. */
const KEEPS = /^(export )?(let |var |const .*= (new (Map|Set|WeakMap|WeakSet)(<.*>)?\(\)|\[\]|\{\});)/;

test('every operation is pinned to the version with which it began', async () => {
  const workflows = join(import.meta.dirname, '..', 'workflows');
  const files = (await readdir(join(workflows, 'operations'))).map((file) => join(workflows, 'operations', file));
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  const operations = texts.flatMap((text) => namesIn(text, /export async function (\w+Workflow)/g));
  const [pinned = ''] = namesIn(
    await readFile(join(workflows, 'versioning.ts'), 'utf8'),
    /OPERATIONS[^]*?= \[([^\]]*)\]/g,
  );
  expect(new Set(namesIn(pinned, /(\w+)/g))).toEqual(new Set(operations));
  expect(operations).toContain('provisionWorkflow');
});

const namesIn = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(([, name = '']) => name);
