import { cpSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { connectKubeconfig, type Kube } from '../../kube/client.ts';
import { hostPath, leasePath } from '../../kube/paths.ts';
import { isOlderVersion } from '../../kube/reflector.ts';
import { hostWorkflowId } from '../../workflows/messages.ts';
import { type Link, openLink } from '../chaos/link.ts';
import { type Breakable, startBreakableControlPlane } from './bridge/control-plane.ts';
import { ANYTHING, LEASE, openScene, PATIENCE, type Scene, viewOf } from './bridge/harness.ts';
import { know } from './bridge/recorder-workflow.ts';

let servers: Breakable;
/** Between the bridge and the API server. */
let link: Link;
let kubeOverLink: Kube;
let scene: Scene;
let bridge: ReturnType<Scene['startBridge']>;

beforeAll(async () => {
  servers = await startBreakableControlPlane();
  const kubeconfig = await readFile(servers.kubeconfig, 'utf8');
  const address = /https:\/\/127\.0\.0\.1:(\d+)/.exec(kubeconfig);
  link = await openLink(() => Number(address?.[1]));
  kubeOverLink = connectKubeconfig(kubeconfig.replace(`${address?.[0]}`, `https://127.0.0.1:${link.port}`));
});
afterAll(async () => {
  await kubeOverLink.close();
  await link.close();
  await servers.close();
});
beforeEach(async () => {
  scene = await openScene(servers);
  await scene.startRecorder();
  bridge = scene.startBridge({ kube: kubeOverLink });
});
afterEach(async () => {
  link.mend();
  await scene.end();
});

const BACKUP = 'backup-of-etcd';

/** etcd and all that hangs on it are down while this is done. */
async function whileDown(act: () => void): Promise<void> {
  for (const name of ['kube-apiserver', 'etcd']) await servers.supervisor.kill(name, 'SIGKILL');
  act();
  for (const name of ['etcd', 'kube-apiserver']) await servers.supervisor.startAgain(name);
}
const dataDir = (): string => join(servers.dir, 'etcd');
const backUp = () =>
  whileDown(() => {
    rmSync(join(servers.dir, BACKUP), { recursive: true, force: true });
    cpSync(dataDir(), join(servers.dir, BACKUP), { recursive: true });
  });
const restore = () =>
  whileDown(() => {
    rmSync(dataDir(), { recursive: true });
    cpSync(join(servers.dir, BACKUP), dataDir(), { recursive: true });
  });
const lastSeen = (name: string) =>
  expect.poll(async () => (await scene.recorded(name)).snapshots.at(-1), { ...PATIENCE, timeout: 120_000 });
const answers = (name: string) => expect.poll(async () => (await scene.recorded(name)).answers, PATIENCE);

const snapshotsOf = (name: string) => async (): Promise<number> => (await scene.recorded(name)).snapshots.length;

/** Creates `kept` and `same`. Returns the number of snapshots that `same` gets. */
async function twoHosts(): Promise<number> {
  for (const name of ['kept', 'same']) {
    await scene.createHost(name);
    await lastSeen(name).toMatchObject({ generation: 1 });
  }
  return snapshotsOf('same')();
}

interface Versioned {
  readonly metadata: { readonly resourceVersion: string };
}
const leaseVersion = async (): Promise<string | undefined> => {
  const lease = await scene.kube.find(leasePath({ namespace: scene.namespace, name: LEASE.name }));
  return (lease as Versioned | undefined)?.metadata.resourceVersion;
};
const hostsVersion = async (): Promise<string> => {
  const { namespace } = scene;
  return ((await scene.kube.request({ path: hostPath({ namespace, name: '' }) })) as Versioned).metadata
    .resourceVersion;
};
/** The bridge renews its Lease once more. */
async function renewed(): Promise<void> {
  const before = await leaseVersion();
  await expect.poll(leaseVersion, PATIENCE).not.toBe(before);
}
/** Others write until the server has passed this version. */
async function writePast(version: string): Promise<void> {
  const path = `/api/v1/namespaces/${scene.namespace}`;
  for (let at = 0; ; at++) {
    const written = await scene.kube.patch(path, { metadata: { annotations: { at: `${at}` } } });
    if (isOlderVersion(version, (written as Versioned).metadata.resourceVersion)) return;
  }
}

describe('when etcd is restored from a backup', () => {
  test.each([
    ['at once', () => Promise.resolve()],
    ['when others have written so much that its version has passed the one that was known', writePast],
  ])(
    'the next change is signalled, drift is repaired, and what was made since has vanished: seen %s',
    async (_, meanwhile) => {
      const host = await scene.createHost('kept');
      await lastSeen('kept').toMatchObject({ generation: 1 });
      await backUp();
      // The world goes on for a while, which takes the versions far beyond those that will come after the backup.
      for (let at = 0; at < 50; at++) await scene.patchHost('kept', { spec: { description: `change ${at}` } });
      await lastSeen('kept').toMatchObject({ generation: 51 });
      await scene.show(viewOf(host, 'provisioned', { generation: 51 }));
      await answers('kept').toEqual(['published']);
      const since = await scene.createHost('since');
      await lastSeen('since').toMatchObject({ generation: 1 });
      await scene.show(viewOf(since, 'registering'));
      await answers('since').toEqual(['published']);
      await renewed();
      const known = await hostsVersion();

      link.cut();
      await restore();
      await meanwhile(known);
      link.mend();

      await lastSeen('kept').toMatchObject({ generation: 1 });
      await expect.poll(async () => (await scene.recorded('since')).vanished, PATIENCE).toEqual([ANYTHING]);
      await scene.patchHost('kept', { spec: { description: 'after the backup' } });
      await lastSeen('kept').toMatchObject({ generation: 2, spec: { description: 'after the backup' } });
      await expect
        .poll(() => scene.host('kept'), { ...PATIENCE, timeout: 60_000 })
        .toMatchObject({ status: { provisioning: { state: 'provisioned' } } });

      await scene.kube.patch(`${hostPath(host.metadata)}/status`, { status: { poweredOn: true } });
      await expect.poll(() => scene.host('kept'), PATIENCE).toMatchObject({ status: { poweredOn: false } });
    },
  );

  test('from a copy that is younger than the last renewal of the Lease, what the bridge has seen since is found to be lost', async () => {
    await bridge.stop();
    scene.startBridge({ kube: kubeOverLink, retrySeconds: 3_600 });
    const signalled = await twoHosts();
    await backUp();
    await scene.patchHost('kept', { spec: { description: 'lost' } });
    await lastSeen('kept').toMatchObject({ generation: 2 });
    const known = await hostsVersion();

    link.cut();
    await restore();
    // From now on the API server can tell a watch what is newer than the copy. Before, it refuses.
    await vi.waitFor(hostsVersion, PATIENCE);
    await writePast(known);
    link.mend();

    await lastSeen('kept').toMatchObject({ generation: 1 });
    await expect.poll(snapshotsOf('same'), PATIENCE).toBeGreaterThan(signalled);
  });

  test('and its changes are repeated before the bridge is connected again, every run is signalled, because what it wrote may be lost', async () => {
    const signalled = await twoHosts();
    await backUp();
    await scene.patchHost('kept', { spec: { description: 'once' } });
    await lastSeen('kept').toMatchObject({ generation: 2 });
    await renewed();
    const known = await hostsVersion();

    link.cut();
    await restore();
    await writePast(known);
    await scene.patchHost('kept', { spec: { description: 'once' } });
    link.mend();

    await expect.poll(snapshotsOf('same'), PATIENCE).toBeGreaterThan(signalled);
  });

  test('while no bridge runs, the next one notices it, and signals a run that knows its object, too', async () => {
    const host = await scene.createHost('kept');
    await lastSeen('kept').toMatchObject({ generation: 1 });
    await backUp();
    await scene.show(viewOf(host, 'provisioned'));
    await answers('kept').toEqual(['published']);
    const { resourceVersion = '' } = (await scene.host('kept'))?.metadata ?? {};
    const { workflow } = scene.client;
    await workflow
      .getHandle(hostWorkflowId(host.metadata))
      .signal(know, viewOf(host, 'provisioned', { resourceVersion }));
    await bridge.stop();
    const signalled = await snapshotsOf('kept')();

    await restore();
    scene.startBridge({ kube: kubeOverLink });

    await expect.poll(snapshotsOf('kept'), PATIENCE).toBeGreaterThan(signalled);
  });
});
