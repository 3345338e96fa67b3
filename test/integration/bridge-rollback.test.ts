import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { hostPath } from '../../kube/paths.ts';
import { type Breakable, startBreakableControlPlane } from './bridge/control-plane.ts';
import { ANYTHING, openScene, PATIENCE, type Scene, viewOf } from './bridge/harness.ts';

let servers: Breakable;
let scene: Scene;

beforeAll(async () => {
  servers = await startBreakableControlPlane();
});
afterAll(() => servers.close());
beforeEach(async () => {
  scene = await openScene(servers);
  await scene.startRecorder();
  scene.startBridge();
});
afterEach(() => scene.end());

const BACKUP = 'backup-of-etcd';

/** etcd and all that hangs on it are down while this is done. */
async function whileDown(act: () => void): Promise<void> {
  for (const name of ['kube-apiserver', 'etcd']) await servers.supervisor.kill(name, 'SIGKILL');
  act();
  for (const name of ['etcd', 'kube-apiserver']) await servers.supervisor.startAgain(name);
}
const dataDir = (): string => join(servers.dir, 'etcd');
const backUp = () => whileDown(() => cpSync(dataDir(), join(servers.dir, BACKUP), { recursive: true }));
const restore = () =>
  whileDown(() => {
    rmSync(dataDir(), { recursive: true });
    cpSync(join(servers.dir, BACKUP), dataDir(), { recursive: true });
  });
const lastSeen = (name: string) =>
  expect.poll(async () => (await scene.recorded(name)).snapshots.at(-1), { ...PATIENCE, timeout: 120_000 });
const answers = (name: string) => expect.poll(async () => (await scene.recorded(name)).answers, PATIENCE);

describe('when etcd is restored from a backup', () => {
  test('the next change is signalled, drift is repaired, and what was made since has vanished', async () => {
    const host = await scene.createHost('kept');
    await lastSeen('kept').toMatchObject({ generation: 1 });
    await backUp();
    // The world goes on for a while, which takes the versions far beyond those that will come after the backup.
    for (let at = 0; at < 50; at++) await scene.patchHost('kept', { spec: { description: `change ${at}` } });
    await lastSeen('kept').toMatchObject({ generation: 51 });
    await scene.show(viewOf(host, 'provisioned', { generation: 51 }));
    await answers('kept').toEqual(['published']);
    await scene.createHost('since');
    await lastSeen('since').toMatchObject({ generation: 1 });

    await restore();

    await lastSeen('kept').toMatchObject({ generation: 1 });
    await expect.poll(async () => (await scene.recorded('since')).vanished, PATIENCE).toEqual([ANYTHING]);
    await scene.patchHost('kept', { spec: { description: 'after the backup' } });
    await lastSeen('kept').toMatchObject({ generation: 2, spec: { description: 'after the backup' } });
    await expect
      .poll(() => scene.host('kept'), { ...PATIENCE, timeout: 60_000 })
      .toMatchObject({ status: { provisioning: { state: 'provisioned' } } });

    await scene.kube.patch(`${hostPath(host.metadata)}/status`, { status: { poweredOn: true } });
    await expect.poll(() => scene.host('kept'), PATIENCE).toMatchObject({ status: { poweredOn: false } });
  });
});
