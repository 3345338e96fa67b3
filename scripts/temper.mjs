#!/usr/bin/env node
/* oxlint-disable typescript/no-unsafe-assignment, typescript/no-unsafe-argument, typescript/no-unsafe-call, typescript/no-unsafe-member-access, typescript/no-unsafe-return -- plain JavaScript, which any Node runs */
// The `temper` command. It runs on the Node from the packages, whichever Node runs this.
import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const node = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url));
const cli = new URL('../cli/main.ts', import.meta.url);

if (!existsSync(node)) {
  process.stderr.write('temper: the packages are not installed yet; run: npm ci\n');
  process.exit(1);
}

// Caches the modules that Node compiles, for the next call: this saves a third of a second.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../node_modules/.cache/temper/node', import.meta.url));

// npx and npm scripts start this with the Node from the packages: a second process would take as long as the first.
if (process.execPath === realpathSync(node)) {
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  await import(cli);
} else inOwnNode();

function inOwnNode() {
  const child = spawn(node, [fileURLToPath(cli), ...process.argv.slice(2)], { stdio: 'inherit' });
  // The terminal sends these signals to the child too; the child decides when to end.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.on('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 1));
}
