import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { connectKube, type Kube } from '../../kube/client.ts';
import { KINDS } from '../../kube/kinds.ts';
import { collectionPath, definitionPath, hostPath } from '../../kube/paths.ts';
import type { Manifest } from '../../lab/control-plane/manifest.ts';
import { createObject, createPaths, patchObject } from '../../lab/control-plane/objects.ts';
import { recordCommands } from '../../scripts/documented/ran.ts';
import { blockOf, createShell, stepsOf } from '../e2e/support/versions/procedure.ts';
import { type Breakable, startBreakableControlPlane } from './bridge/control-plane.ts';
import { BMO, deploymentOf, webhooksOf } from './migration/operators.ts';

/** The commands of docs/migration.md, on an API server with what baremetal-operator leaves there. */
const PAGE = 'docs/migration.md';
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const record = recordCommands('test/integration/migration.test.ts');
const HOST = { namespace: 'metal', name: 'host-1' };

let folder: string;
let controlPlane: Breakable;
let admin: Kube;
let run: (commands: string) => Promise<string>;
/** The commands of each step of the switch. */
let steps: readonly string[];

const create = async <Object extends Manifest>(object: Object): Promise<unknown> =>
  createObject(admin, (await createPaths(admin)(object)).collection, object);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temper-migration-'));
  controlPlane = await startBreakableControlPlane();
  admin = connectKube(controlPlane.kubeconfig);
  const shell = await createShell(folder, controlPlane);
  run = record.shell((commands) => shell(`cd '${folder}'\n${commands}`, {}));
  steps = await stepsOf(PAGE, 'The switch');
  for (const name of [HOST.namespace, BMO.namespace])
    await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  await createObject(admin, collectionPath(KINDS.host, HOST.namespace), {
    apiVersion: KINDS.host.apiVersion,
    kind: KINDS.host.kind,
    metadata: HOST,
    spec: { online: true },
  });
  await create(deploymentOf('baremetal-operator', BMO));
  await create(webhooksOf('baremetal-operator', BMO.namespace));
});
afterAll(async () => {
  await admin?.close();
  await controlPlane?.close();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

const changed = (description: string): Promise<unknown> =>
  patchObject(admin, hostPath(HOST), { spec: { description } });
const scaled = z.object({ spec: z.object({ replicas: z.number() }) });
const replicas = async (): Promise<number> => {
  const path = `/apis/apps/v1/namespaces/${BMO.namespace}/deployments/${BMO.name}`;
  return scaled.parse(await admin.request({ path })).spec.replicas;
};

describe('the switch from baremetal-operator', () => {
  test('is blocked by its webhook when nothing but its server is gone', async () => {
    await expect(changed('without a server')).rejects.toThrow('failed calling webhook "baremetalhost.metal3.io"');
  });

  test('begins with the removal of the webhook, so that hosts can be written', async () => {
    await run(await blockOf(PAGE, 'kubectl get baremetalhosts -A -o custom-columns'));
    await run(steps[0] ?? '');
    // The API server learns of it by a watch.
    await expect.poll(() => changed('without a webhook').then(() => 'written', String)).toBe('written');
  });

  test('goes on with the end of its Pods', async () => {
    const withoutClusterctl = (steps[1] ?? '').replace(/^clusterctl .*\n/m, '');
    await run(withoutClusterctl);
    expect(await replicas()).toBe(0);
    // Fails as long as something hinders the switch.
    expect(await run(await blockOf(PAGE, 'npx temper migrate check'))).toContain('Nothing hinders the switch.');
  });

  test('installs Temper over the CRDs of others', async () => {
    const page = await readFile(join(ROOT, 'docs/installation.md'), 'utf8');
    const [, kustomization = ''] = /^```yaml\n(apiVersion: kustomize[^]*?)^```$/m.exec(page) ?? [];
    await writeFile(join(folder, 'kustomization.yaml'), kustomization);
    await symlink(ROOT, join(folder, 'temper'));
    const path = definitionPath('metal3clusters.infrastructure.cluster.x-k8s.io');
    await patchObject(admin, path, { metadata: { labels: { 'cluster.x-k8s.io/v1beta1': 'of-another' } } });
    await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'temper-system' } });
    const withoutPods = (steps[2] ?? '').replaceAll(/^kubectl rollout .*\n/gm, '');
    expect(await run(withoutPods)).not.toMatch(/conflict|error/i);
  });

  test('leaves hosts as they were', async () => {
    // The last command prints differences.
    expect(await run(steps[3] ?? '')).toBe('');
  });
});

describe('the way back', () => {
  test('takes Temper away, so that hosts can be written, and starts baremetal-operator again', async () => {
    const back = await stepsOf(PAGE, 'The way back');
    // Nobody answers the webhooks of Temper here.
    await expect(changed('without a bridge')).rejects.toThrow('failed calling webhook');
    await run(back[0] ?? '');
    await expect.poll(() => changed('without Temper').then(() => 'written', String)).toBe('written');
    await run(back[2] ?? '');
    expect(await replicas()).toBe(1);
  });
});
