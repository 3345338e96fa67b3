import { existsSync, readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { execaSync } from 'execa';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { bridgeConfig, readConfig } from '../../platform/config/config.ts';
import { inRepository } from '../../test/builders/compose-file.ts';
import { ofRoot } from '../../test/builders/package-files.ts';
import { reachableFrom } from '../../test/builders/reachable.ts';
import { PROGRAMS } from './programs.ts';
import { FILES, SOURCES } from './stage.ts';

const text = readFileSync(inRepository('Dockerfile'), 'utf8');
/** The stages by name; the last one has none. */
const stages = new Map(
  text
    .split(/^FROM /m)
    .slice(1)
    .map((stage) => [/^\S+(?: \S+)? AS (\S+)$/m.exec(stage)?.[1] ?? 'last', stage] as const),
);
const last = stages.get('last') ?? '';
/** What stands behind an instruction in the last stage, each time that it is there. */
const inLast = (instruction: string): readonly string[] =>
  [...last.matchAll(new RegExp(`^${instruction} (.+)$`, 'gm'))].map(([, words = '']) => words);

/** All programs that run in the image, are bundled for it, or bundle the workflows. */
const SOURCES_OF_PROGRAMS = [
  ...Object.values(PROGRAMS),
  'workers/bundle-process.ts',
  'workflows/index.ts',
  'workflows/payload-converter.ts',
  'workflows/log-interceptors.ts',
  'workflows/trace-interceptors.ts',
  'platform/tracing/start-tracing.ts',
];
/**
 * The files that a clean checkout sends to the engine: the last line of .dockerignore that matches a path, or a folder
 * above it, counts.
 */
function contextFiles(): readonly string[] {
  const lines = readFileSync(inRepository('.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  const foldersAnd = (file: string): readonly string[] =>
    file.split('/').map((_, at, parts) => parts.slice(0, at + 1).join('/'));
  const isSent = (file: string): boolean => {
    const last = lines.findLast((line) => foldersAnd(file).some((path) => matchesGlob(path, line.replace(/^!/, ''))));
    return last?.startsWith('!') ?? true;
  };
  return execaSync('git', ['ls-files'], { cwd: inRepository('') })
    .stdout.split('\n')
    .filter(isSent);
}

/** Loaded in other ways than by import statements, or only there to give all others the same copy. */
const LOADED_OTHERWISE = ['@kubernetes/client-node', 'protobufjs'];

describe('the image of bridge and workers', () => {
  test('copies what exists and what .dockerignore lets through', () => {
    const allowed = readFileSync(inRepository('.dockerignore'), 'utf8').split('\n');
    expect(SOURCES.filter((source) => !existsSync(inRepository(source)))).toEqual([]);
    const builders = ['licenses', 'native-modules', 'programs', 'stage'].map((name) => `deploy/image/${name}.ts`);
    const copied = [...FILES, ...SOURCES, ...builders];
    expect(allowed.filter((line) => line.startsWith('!')).toSorted()).toEqual(
      copied.map((name) => `!${name}`).toSorted(),
    );
  });

  test('is built from the files that its programs load, without tests', () => {
    const context = contextFiles();
    const run = [...text.matchAll(/\bnode (\S+\.ts)/g)].map(([, program = '']) => program);
    expect(run.toSorted()).toEqual(['deploy/image/programs.ts', 'deploy/image/stage.ts', 'workers/bundle-process.ts']);
    const loaded = new Set([...SOURCES_OF_PROGRAMS, ...run].flatMap((program) => reachableFrom(program).files));
    expect([...loaded].filter((file) => !context.includes(file))).toEqual([]);
    expect(context.filter((file) => file.endsWith('.test.ts'))).toEqual([]);
    const copied = [...text.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = '']) => names.split(' '));
    expect(copied).toEqual(['.']);
  });

  test('gets modes with which its user can read all of it', () => {
    expect(text).toMatch(/^RUN .*--folder "\/\$TARGETARCH" && chmod --recursive u=rwX,go=rX "\/\$TARGETARCH"$/m);
  });

  test('holds the packages that its programs use, and no others', () => {
    const used = new Set([
      ...LOADED_OTHERWISE,
      ...SOURCES_OF_PROGRAMS.flatMap((program) => reachableFrom(program).packages),
    ]);
    expect(Object.keys(ofRoot.dependencies).toSorted()).toEqual([...used].toSorted());
  });

  test('begins with images that are pinned to digests, one with the Node that the lab runs on', () => {
    const bases = [...text.matchAll(/^ARG (\w+)=(\S+)@sha256:[0-9a-f]{64}$/gm)].map(([, ...base]) => base);
    expect(bases).toEqual([
      ['NODE', `docker.io/library/node:${ofRoot.devDependencies['node']}-slim`],
      ['BASE', 'gcr.io/distroless/cc-debian13'],
    ]);
    const begun = [...text.matchAll(/^FROM (?:--platform=\S+ )?(\S+)/gm)].map(([, from = '']) => from);
    expect(begun.filter((from) => !stages.has(from))).toEqual(['${NODE}', '${NODE}', '${BASE}']);
  });

  test('holds the programs and the workflow bundle, built before its user is one who cannot write them', () => {
    expect(stages.get('bundle')).toMatch(/^RUN .*node workers\/bundle-process\.ts > \/workflow-bundle\.js &&/m);
    expect(stages.get('bundle')).toMatch(/^RUN .*node deploy\/image\/programs\.ts --folder \/programs$/m);
    for (const bundled of ['/workflow-bundle.js', '/programs'])
      expect(stages.get('tree')).toContain(`\nCOPY --from=bundle ${bundled} ${bundled}\n`);
    expect(stages.get('tree')).toMatch(
      /^RUN .*node deploy\/image\/stage\.ts .*--bundle \/workflow-bundle\.js --programs \/programs --folder "\/\$TARGETARCH"/m,
    );
  });

  test('is its base with Node and our files: neither shell nor npm, and nothing that runs on its architecture', () => {
    expect(stages.get('last')?.startsWith('${BASE}\n')).toBe(true);
    expect(inLast('COPY')).toEqual([
      '--from=node /usr/local/bin/node /usr/local/bin/node',
      '--from=tree /${TARGETARCH} /opt/temper',
    ]);
    expect(inLast('RUN')).toEqual([]);
    for (const stage of ['source', 'bundle', 'tree']) expect(stages.get(stage)).not.toMatch(/^\$\{NODE\}/);
    expect(text).toContain('FROM --platform=$BUILDPLATFORM ${NODE} AS source\n');
  });

  test('runs as the user of the manifests, and names the ports of the processes', () => {
    const { HEALTH_ADDR, METRICS_ADDR, WEBHOOK_PORT } = readConfig(bridgeConfig, {});
    const ports = [METRICS_ADDR?.port, HEALTH_ADDR.port, WEBHOOK_PORT];
    expect(inLast('USER')).toEqual(['65532:65532']);
    expect(inLast('WORKDIR')).toEqual(['/opt/temper']);
    expect(inLast('EXPOSE').flatMap((words) => words.split(' '))).toEqual(expect.arrayContaining(ports.map(String)));
    expect(inLast('ENV')).toContain('NODE_ENV=production');
    expect([inLast('ARG'), inLast('ENV')]).toEqual([
      ['TARGETARCH', 'REVISION'],
      expect.arrayContaining(['TEMPER_REVISION=${REVISION}']),
    ]);
    const [command = ''] = inLast('CMD');
    expect(z.array(z.string()).parse(JSON.parse(command)).at(-1)).toBe('programs/workers.js');
  });
});
