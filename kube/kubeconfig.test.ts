import { execa } from 'execa';
import { expect, test } from 'vitest';

/** A process of its own: in this one others may have loaded the whole library. */
const LOADED = `
  import { registerHooks } from 'node:module';
  const loaded = [];
  registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
  const { KubeConfig } = await import(${JSON.stringify(new URL('./kubeconfig.ts', import.meta.url).href)});
  const config = new KubeConfig();
  config.loadFromClusterAndUser({ name: 'c', server: 'https://127.0.0.1:1' }, { name: 'u', token: 'secret' });
  process.stdout.write(JSON.stringify({ loaded, server: config.getCurrentCluster().server }));
`;

test('kubeconfigs are read without the library’s classes for each kind of Kubernetes', async () => {
  const { stdout } = await execa(process.execPath, ['--input-type=module', '--eval', LOADED]);
  const { loaded, server } = JSON.parse(stdout) as { readonly loaded: readonly string[]; readonly server: string };
  expect(server).toBe('https://127.0.0.1:1');
  expect(loaded.filter((url) => url.includes('/client-node/dist/')).length).toBeGreaterThan(5);
  expect(loaded.filter((url) => /\/gen\/(apis|models|types)\//.test(url))).toEqual([]);
});
