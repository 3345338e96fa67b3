import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { recordCommands } from '../../scripts/documented/ran.ts';
import { aFixtureLab, type TestFixtureLab } from './support/fixture.ts';
import { kubectl } from './support/hosts.ts';
import { ROOT } from './support/start.ts';
import { blockOf, createShell } from './support/versions/procedure.ts';

/** The commands of docs/installation.md with the kustomization of that page, on an API server with nothing in it. */
const PAGE = 'docs/installation.md';
const record = recordCommands('test/e2e/installation.test.ts');
const KUSTOMIZATION = /^```yaml\n(apiVersion: kustomize[^]*?)^```$/m;
let lab: TestFixtureLab;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temper-installation-'));
  lab = await aFixtureLab({ temper: false, crds: false });
});
afterAll(async () => {
  await lab?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

const deployments = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string() }),
      spec: z.object({
        template: z.object({ spec: z.object({ containers: z.array(z.object({ image: z.string() })) }) }),
      }),
    }),
  ),
});

test('the commands of the page install bridge and workers with its image and its settings, without a warning', async () => {
  const [, kustomization = ''] = KUSTOMIZATION.exec(await readFile(join(ROOT, PAGE), 'utf8')) ?? [];
  await writeFile(join(folder, 'kustomization.yaml'), kustomization);
  await symlink(ROOT, join(folder, 'temper'));
  const shell = record.shell(await createShell(folder, lab.endpoints));
  const commands = await blockOf(PAGE, 'kubectl create namespace temper-system');

  const printed = await shell(`cd '${folder}'\n${commands}`, { username: 'admin', password: 'password' });

  expect(printed).not.toMatch(/warning|error/i);
  const inNamespace = (...what: readonly string[]) => kubectl(lab, ['get', '-n', 'temper-system', ...what]);
  const { items } = deployments.parse(JSON.parse(await inNamespace('deployments', '-o', 'json')));
  const images = items.map(({ metadata, spec }) => [
    metadata.name,
    spec.template.spec.containers.map((of) => of.image),
  ]);
  const image = expect.stringMatching(/^registry\.example\.com\/temper@sha256:/) as string;
  expect(images).toEqual([
    ['temper-bridge', [image]],
    ['temper-workers', [image]],
  ]);
  const settings = await inNamespace('configmaps', '-o', 'yaml');
  for (const each of kustomization.matchAll(/^ {6}- (\w+)=(.+)$/gm))
    expect(settings).toContain(`${each[1]}: ${each[2]}`);
  expect(await inNamespace('secret', 'ironic-credentials', '-o', 'jsonpath={.data.username}')).toBe(
    Buffer.from('admin').toString('base64'),
  );
  await kubectl(lab, ['get', 'baremetalhosts', '-A']);
});
