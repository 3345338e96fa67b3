import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, test } from 'vitest';

/** Prints which packages of the SDK's bundler are loaded with its worker. */
const LIST = `
  require('@temporalio/worker');
  const loaded = Object.keys(require.cache).join();
  console.log(['memfs', 'unionfs', 'webpack'].filter((name) => loaded.includes('/node_modules/' + name + '/')).join());
`;
const loadedBy = async (...flags: readonly string[]) =>
  (await execa(process.execPath, [...flags, '--eval', LIST], { cwd: import.meta.dirname })).stdout;

test('a process with this module preloaded loads no package that only bundles workflow code, and others do', async () => {
  const file = fileURLToPath(new URL('./no-bundler.ts', import.meta.url));
  expect({ without: await loadedBy(`--require=${file}`), others: await loadedBy() }).toEqual({
    without: '',
    others: 'memfs,unionfs,webpack',
  });
});
