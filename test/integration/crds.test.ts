import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import type { CustomResourceDefinition } from '../../deploy/crds/definition.ts';
import { type ApiServer, connect } from '../verdicts/api-server.ts';
import { deriveManifests } from '../verdicts/derive.ts';
import { type Judge, openJudge } from '../verdicts/judge.ts';
import { OTHER_VERDICTS } from '../verdicts/other-verdicts.ts';
import { schemasOf, servedSchemas } from '../verdicts/serve.ts';
import { readVerdicts } from '../verdicts/store.ts';
import { writtenManifests } from '../verdicts/written.ts';

const folder = join(import.meta.dirname, '../../crds');
const definitions = readdirSync(folder)
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => parse(readFileSync(join(folder, file), 'utf8')) as CustomResourceDefinition);
const kinds = definitions.map((definition) => [String(definition.spec.names['kind']), definition] as const);

const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1);

describe('an API server with our CRDs', () => {
  let server: ApiServer;
  let judge: Judge;

  beforeAll(async () => {
    server = await connect(inject('kubeconfig'));
    judge = await openJudge(server, definitions);
  });
  afterAll(async () => {
    await judge.close();
    await server.close();
  });

  test.each(kinds)('serves the schemas of %s as they were generated', async (_kind, definition) => {
    expect(await servedSchemas(server, definition)).toEqual(schemasOf(definition));
  });

  test.each(kinds)(
    "accepts and refuses each manifest of %s as with upstream's CRD, and makes the same of it",
    async (kind) => {
      const verdicts = await Promise.all(
        readVerdicts(kind).map(async ({ verdict, ...manifest }) => ({
          name: manifest.name,
          upstream: verdict,
          ours: await judge.judge(manifest),
        })),
      );

      const different = verdicts
        .filter(({ upstream, ours }) => !isDeepStrictEqual(upstream, ours))
        .map(({ name, ours: { accepted } }) => ({ name, accepted }));
      const onPurpose = (OTHER_VERDICTS[kind] ?? []).map(({ name, accepted }) => ({ name, accepted }));
      expect(different.toSorted(byName)).toEqual(onPurpose.toSorted(byName));
    },
  );
});

describe('the recorded verdicts', () => {
  test.each(kinds)('cover every rule of %s and every manifest written by hand', (kind, definition) => {
    const names = (manifests: readonly { readonly name: string }[]): string[] =>
      manifests.map(({ name }) => name).sort();

    const wanted = names([...deriveManifests(definition), ...writtenManifests(kind)]);
    expect(names(readVerdicts(kind)), 'scripts/record-verdicts.ts records them').toEqual(wanted);
  });
});
