import { cp, mkdtemp, readFile, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordCommands } from '../../scripts/documented/ran.ts';
import { blockOf, createShell } from '../e2e/support/versions/procedure.ts';
import { type Breakable, startBreakableControlPlane } from './bridge/control-plane.ts';

/** The commands of deploy/README.md that prepare the start of the containers, on an API server with nothing in it. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGE = 'deploy/README.md';
const record = recordCommands('test/integration/docker-page.test.ts');
let folder: string;
let controlPlane: Breakable;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temper-docker-page-'));
  controlPlane = await startBreakableControlPlane({ crds: false });
});
afterAll(async () => {
  await controlPlane?.close();
  if (folder !== undefined) await rm(folder, { recursive: true });
});

test('the commands of the page write passwords and a kubeconfig that works alone, and serve our kinds', async () => {
  const checkout = join(folder, 'checkout');
  // The script writes beside its own folder: a link to it would write into this checkout.
  await cp(join(ROOT, 'deploy'), join(checkout, 'deploy'), { recursive: true });
  for (const name of ['node_modules', 'package.json', '.env.example', 'crds'])
    await symlink(join(ROOT, name), join(checkout, name));
  const shell = await createShell(folder, controlPlane);
  const run = record.shell((commands) => shell(`cd '${checkout}'\n${commands}`, {}));
  const commands = (await blockOf(PAGE, 'npm ci')).replace(/^npm ci\n/, '');

  expect(await run(commands)).toMatch(/^\.env is written[^]*\/baremetalhosts\.metal3\.io created$/m);

  const env = join(checkout, '.env');
  expect((await stat(env)).mode & 0o777).toBe(0o600);
  expect(await readFile(env, 'utf8')).toMatch(/^IRONIC_PASSWORD=\S{20,}$/m);
  const kubeconfig = join(checkout, 'temper.kubeconfig');
  expect(await readFile(kubeconfig, 'utf8')).not.toMatch(/client-key: |certificate-authority: /);
  const alone = `KUBECONFIG= kubectl --kubeconfig '${kubeconfig}' get baremetalhosts,ippools.ipam.metal3.io -A`;
  await expect.poll(() => shell(alone, {}).catch(String)).toBe('No resources found');
});
