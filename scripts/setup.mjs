#!/usr/bin/env node
/* oxlint-disable typescript/no-unsafe-assignment, typescript/no-unsafe-argument, typescript/no-unsafe-call, typescript/no-unsafe-member-access, typescript/no-unsafe-return -- plain JavaScript, which any Node runs */
// Runs before `npm start` and `npm test` with any Node from version 18 on, and needs no package.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const ownNode = join(root, 'node_modules', 'node', 'bin', 'node');

if (process.platform === 'win32') {
  fail('Temper runs on Linux and macOS; on Windows, use it within WSL 2.');
}

const reason = whyInstall();
if (reason !== undefined) {
  say(`${reason}; installing with npm ci (a minute, the first time)`);
  const { status, error } = run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
  if (status !== 0) {
    fail(
      `npm ci failed${error === undefined ? '' : ` (${error.message})`}. Its own message is above. ` +
        'It needs the npm registry, or the one that npm is configured for.',
    );
  }
}
ensureOwnNode();
if (reason !== undefined) say('everything is installed');

/** Returns undefined when all packages of package-lock.json are installed in the exact version. */
function whyInstall() {
  const wanted = readJson(join(root, 'package-lock.json'));
  if (wanted === undefined) fail('package-lock.json is missing or broken: this clone is incomplete.');
  const installed = readJson(join(root, 'node_modules', '.package-lock.json'));
  if (installed === undefined) return 'the packages are not installed yet';
  for (const [path, entry] of Object.entries(wanted.packages)) {
    // The checkout itself and its workspaces, whose links nothing needs.
    if (!path.startsWith('node_modules/') || entry.link === true) continue;
    const there = installed.packages[path];
    // Builds for other platforms are in the lock file but not installed.
    if (there === undefined && entry.optional === true) continue;
    if (there === undefined) return `${nameOf(path)} is not installed`;
    if (there.version !== entry.version) return `${nameOf(path)} is ${there.version}, not ${entry.version}`;
    if (!existsSync(join(root, path))) return `${nameOf(path)} has been removed`;
  }
  return undefined;
}

/** The pinned Node is installed by an install script, which npm may be configured not to run. */
function ensureOwnNode() {
  if (!runs(ownNode)) {
    say("fetching the pinned Node, because npm did not run the package's install script");
    const install = join(root, 'node_modules', 'node', 'installArchSpecificPackage.js');
    run(process.execPath, [install], join(root, 'node_modules', 'node'));
    if (!runs(ownNode)) {
      fail(`the pinned Node could not be installed to ${ownNode}: try npm rebuild node --foreground-scripts`);
    }
  }
  const link = join(root, 'node_modules', '.bin', 'node');
  if (existsSync(link)) return;
  mkdirSync(dirname(link), { recursive: true });
  // The link may lead to a missing file.
  rmSync(link, { force: true });
  symlinkSync(join('..', 'node', 'bin', 'node'), link);
}

function runs(program) {
  return existsSync(program) && spawnSync(program, ['--version']).status === 0;
}

/** Runs a command without node_modules/.bin in PATH, because npm ci deletes the Node in it. */
function run(command, args, cwd = root) {
  const own = `${sep}node_modules${sep}.bin`;
  const path = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.endsWith(own))
    .join(delimiter);
  return spawnSync(command, args, { cwd, stdio: 'inherit', env: { ...process.env, PATH: path } });
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

function nameOf(path) {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

function say(text) {
  process.stderr.write(`set-up: ${text}\n`);
}

function fail(text) {
  say(text);
  process.exit(1);
}
