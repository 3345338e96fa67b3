import { existsSync, readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { execaSync } from 'execa';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { bridgeConfig, readConfig } from '../../platform/config/config.ts';
import { inRepository } from '../../test/builders/compose-file.ts';
import { reachableFrom } from '../../test/builders/reachable.ts';
import { DOCKERFILE, readDockerfile } from './dockerfile.ts';
import { FILES, SOURCES } from './stage.ts';

const text = readFileSync(DOCKERFILE, 'utf8');
const packages = z
  .object({ dependencies: z.record(z.string(), z.string()), devDependencies: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(inRepository('package.json'), 'utf8')));

/** All programs that run in the image, or make it. */
const PROGRAMS = [
  'k8s-bridge/main.ts',
  'workers/main.ts',
  'workers/bundle-process.ts',
  'workflows/index.ts',
  'workflows/payload-converter.ts',
  'workflows/log-interceptors.ts',
  'workflows/trace-interceptors.ts',
  'platform/temporal/preload.ts',
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
    const copied = [...FILES, ...SOURCES, 'deploy/image'];
    expect(allowed.filter((line) => line.startsWith('!')).toSorted()).toEqual(
      copied.map((name) => `!${name}`).toSorted(),
    );
  });

  test('is built from the files that its programs load, without tests', () => {
    const context = contextFiles();
    const run = [...text.matchAll(/\bnode (\S+\.ts)/g)].map(([, program = '']) => program);
    expect(run.toSorted()).toEqual(['deploy/image/stage.ts', 'workers/bundle-process.ts']);
    const loaded = new Set([...PROGRAMS, ...run].flatMap((program) => reachableFrom(program).files));
    expect([...loaded].filter((file) => !context.includes(file))).toEqual([]);
    expect(context.filter((file) => file.endsWith('.test.ts'))).toEqual([]);
    const copied = [...text.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = '']) => names.split(' '));
    expect(copied).toEqual(['.']);
  });

  test('gets modes with which its user can read all of it', () => {
    expect(text).toMatch(/^RUN .*--folder \/tree && chmod --recursive u=rwX,go=rX \/tree$/m);
  });

  test('holds the packages that its programs use, and no others', () => {
    const used = new Set([...LOADED_OTHERWISE, ...PROGRAMS.flatMap((program) => reachableFrom(program).packages)]);
    expect(Object.keys(packages.dependencies).toSorted()).toEqual([...used].toSorted());
  });

  test('is pinned to a digest in each stage, with the Node that the lab runs on', () => {
    const { base } = readDockerfile();
    expect(base.name).toBe(`docker.io/library/node:${packages.devDependencies['node']}-slim`);
    const stages = [...text.matchAll(/^FROM (?:--platform=\S+ )?(\S+)(?: AS (\S+))?$/gm)];
    const known = stages.flatMap(([, , name]) => name ?? []);
    const bases = stages.flatMap(([, from = '']) => (known.includes(from) ? [] : [from]));
    expect(bases).toEqual(['${NODE}', '${NODE}']);
  });

  test('holds the workflow bundle, built before its user is one who cannot write it', () => {
    expect(text).toMatch(/^RUN .*node workers\/bundle-process\.ts > \/workflow-bundle\.js$/m);
    expect(text).toMatch(/^RUN .*node deploy\/image\/stage\.ts .*--bundle \/workflow-bundle\.js --folder \/tree\b/m);
    const [, last = ''] = text.split('\nFROM ${NODE}\n');
    expect(last).toContain('COPY --from=tree /tree /opt/temper\n');
    expect(last).not.toMatch(/^RUN /m);
  });

  test('runs as the user of the manifests, and names the ports of the processes', () => {
    const { run } = readDockerfile();
    const { HEALTH_ADDR, METRICS_ADDR, WEBHOOK_PORT } = readConfig(bridgeConfig, {});
    const ports = [METRICS_ADDR?.port, HEALTH_ADDR.port, WEBHOOK_PORT].map((port) => [`${port}/tcp`, {}] as const);
    expect(run).toMatchObject({
      User: '65532:65532',
      WorkingDir: '/opt/temper',
      ExposedPorts: Object.fromEntries(ports),
    });
    expect(run.Env).toContain('NODE_ENV=production');
    expect(run.Cmd.at(-1)).toBe('workers/main.ts');
  });
});
