import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

let project: string;

/** A clone with one package, a workspace, one build for another platform, and a fake npm that records its calls. */
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'temper-setup-'));
  mkdirSync(join(project, 'scripts'));
  cpSync(fileURLToPath(new URL('./setup.mjs', import.meta.url)), join(project, 'scripts/setup.mjs'));
  file('package-lock.json', lock({ a: '1.0.0' }));
  program(
    'bin/npm',
    `echo "$@" >> ${project}/asked; cp ${project}/package-lock.json ${project}/node_modules/.package-lock.json`,
  );
  installed({ a: '1.0.0' });
});

afterEach(() => rmSync(project, { recursive: true, force: true }));

describe('the set-up', () => {
  test('does nothing when everything is installed: a workspace is part of the clone', () => {
    expect(setUp()).toEqual({ status: 0, said: '', npm: '' });
  });

  test('installs what another commit asks for', () => {
    installed({ a: '0.9.0' });

    const { status, said, npm } = setUp();

    expect({ status, npm }).toMatchObject({ status: 0, npm: expect.stringMatching(/^ci /) as string });
    expect(said).toContain('a is 0.9.0, not 1.0.0');
  });

  test('installs again what was removed by hand', () => {
    rmSync(join(project, 'node_modules/a'), { recursive: true });

    expect(setUp()).toMatchObject({ said: expect.stringContaining('a has been removed') as string });
  });

  test('says what failed when npm fails', () => {
    installed({});
    program('bin/npm', 'exit 7');

    expect(setUp()).toMatchObject({ status: 1, said: expect.stringContaining('npm ci failed') as string });
  });

  test('links the pinned Node where scripts find it', () => {
    rmSync(join(project, 'node_modules/.bin'), { recursive: true });

    setUp();

    expect(existsSync(join(project, 'node_modules/.bin/node'))).toBe(true);
  });
});

interface SetUp {
  readonly status: number | null;
  readonly said: string;
  readonly npm: string;
}

function setUp(): SetUp {
  const { status, stderr } = spawnSync(process.execPath, [join(project, 'scripts/setup.mjs')], {
    env: { PATH: `${join(project, 'bin')}:/usr/bin:/bin` },
    encoding: 'utf8',
  });
  const asked = join(project, 'asked');
  return { status, said: stderr, npm: existsSync(asked) ? readFileSync(asked, 'utf8') : '' };
}

function lock(versions: Readonly<Record<string, string>>): string {
  const packages = Object.entries(versions).map(([name, version]) => [`node_modules/${name}`, { version }] as const);
  const foreign = { version: '1.0.0', optional: true, os: ['plan9'] };
  const ours = { '': {}, tools: {}, 'node_modules/@ours/tools': { resolved: 'tools', link: true } };
  return JSON.stringify({ packages: { ...ours, ...Object.fromEntries(packages), 'node_modules/a-plan9': foreign } });
}

function installed(versions: Readonly<Record<string, string>>): void {
  const { packages } = JSON.parse(lock(versions)) as { packages: Record<string, unknown> };
  for (const path of ['tools', 'node_modules/@ours/tools', 'node_modules/a-plan9']) delete packages[path];
  file('node_modules/.package-lock.json', JSON.stringify({ packages }));
  file('node_modules/a/package.json', '{}');
  program('node_modules/node/bin/node', 'exit 0');
  file('node_modules/.bin/node', '');
}

function program(path: string, script: string): void {
  file(path, `#!/bin/sh\n${script}\n`);
  chmodSync(join(project, path), 0o755);
}

function file(path: string, content: string): void {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), content);
}
