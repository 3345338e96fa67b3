import { copyFile, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reachableFrom } from '../test/builders/reachable.ts';

const TEMPER = fileURLToPath(new URL('temper.mjs', import.meta.url));

describe('the command temper', () => {
  let folder: string;
  let ofPackages: string;
  let another: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'temper-command-'));
    ofPackages = await realpath(fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url)));
    another = join(folder, 'node');
    await copyFile(ofPackages, another);
    await writeFile(
      join(folder, 'note.cjs'),
      "require('fs').appendFileSync(process.env.NOTES, process.execPath + ' ');",
    );
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** The programs of all processes of Node that a call takes, and its exit code. */
  async function run(node: string, ...args: readonly string[]) {
    const NOTES = join(folder, `notes-${args.join('-')}`);
    await rm(NOTES, { force: true });
    const env = { NOTES, NODE_OPTIONS: `--require=${join(folder, 'note.cjs')}` };
    const { exitCode } = await execa(node, [TEMPER, ...args], { env, reject: false });
    return { exitCode, ran: (await readFile(NOTES, 'utf8')).trim().split(' ') };
  }

  test.each([
    ['help', 0],
    ['nothing', 2],
  ])('%s takes one process where npx has started the Node of the packages', async (name, exitCode) => {
    expect(await run(ofPackages, name)).toEqual({ exitCode, ran: [ofPackages] });
  });

  test.each([
    ['help', 0],
    ['nothing', 2],
  ])('%s runs on the Node of the packages where another one is started', async (name, exitCode) => {
    expect(await run(another, name)).toEqual({ exitCode, ran: [another, ofPackages] });
  });

  test('is started by npx without a warning, with a Node that is too old for the packages', async () => {
    const old = join(folder, 'old.cjs');
    await writeFile(old, "Object.defineProperty(process, 'version', { value: 'v20.17.0' });");
    const env = { NODE_OPTIONS: `--require=${old}`, npm_config_cache: join(folder, 'cache'), NO_UPDATE_NOTIFIER: '1' };
    const root = fileURLToPath(new URL('..', import.meta.url));
    const { stderr, stdout } = await execa('npx', ['temper', '--version'], { cwd: root, env });
    expect([stderr, stdout]).toEqual(['', expect.stringMatching(/^temper /) as unknown]);
  });

  test('tells its own version without a server', async () => {
    const { stdout } = await execa(ofPackages, [TEMPER, '--version'], { env: { KUBECONFIG: '/nowhere' } });
    expect(stdout).toMatch(/^temper \d+\.\d+\.\d+/);
  });

  test('loads no package before it knows which command is called', () => {
    expect(reachableFrom('cli/main.ts').packages).toEqual([]);
  });
});
