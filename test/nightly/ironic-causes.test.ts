import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { getHost, hostIn } from '../e2e/support/hosts.ts';
import { startApiWithoutConductor } from './causes/ironic-api.ts';
import { aHeldHost, host, openScene, type Scene } from './causes/scene.ts';
import { TOLD_WITHIN_MS, toldOf } from './causes/told.ts';

/**
 * What keeps hosts waiting because of Ironic itself, which is down, half gone or busy: somebody who may read objects
 * alone is told it.
 */
let folder: string;
let scene: Scene;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temper-causes-'));
});
afterAll(async () => {
  if (folder !== undefined) await rm(folder, { recursive: true });
});

/** One lab after the other. */
async function open(options: Parameters<typeof openScene>[1]): Promise<void> {
  scene = await openScene(folder, options);
}

/** What somebody is told of a new host of Ironic's fake driver, once this cause is told, or patience is over. */
async function toldOfNew(
  name: string,
  cause: string,
): Promise<{ readonly first: string | undefined; readonly isInTime: boolean }> {
  const { causes, late } = await toldOf(scene.reader, cause, await aHeldHost(scene, name, {}, { online: true }));
  return { first: causes[0], isInTime: late <= TOLD_WITHIN_MS };
}

describe('of an Ironic that does not answer, or does nothing', () => {
  beforeAll(() => open({ machines: 1 }));
  afterAll(() => scene?.close());

  test('an Ironic that is down is told on a host that needs it', async () => {
    await scene.lab.kill('ironic', 'SIGKILL');
    expect(await toldOfNew('needs-ironic', 'ironic-down')).toEqual({ first: 'ironic-down', isInTime: true });
    await scene.lab.start('ironic');
    await hostIn(scene.lab, 'needs-ironic', 'available');
    expect((await getHost(scene.lab, 'needs-ironic'))?.status.errorCount).toBe(0);
  });

  test('an Ironic whose conductor has stopped while its API answers is told on a host that needs it', async () => {
    await scene.lab.kill('ironic', 'SIGTERM');
    const api = await startApiWithoutConductor(scene.lab);
    try {
      const told = await toldOfNew('needs-conductor', 'conductor-gone');
      expect(told).toEqual({ first: 'conductor-gone', isInTime: true });
    } finally {
      await api.stop();
    }
    await scene.lab.start('ironic');
    await hostIn(scene.lab, 'needs-conductor', 'available');
    expect((await getHost(scene.lab, 'needs-conductor'))?.status.errorCount).toBe(0);
  });
});

/** Longer than it takes to tell the host that waits while the other one has the slot. */
const INSPECTION_SECONDS = 120;

describe('of an Ironic with one slot', () => {
  beforeAll(() =>
    open({
      machines: 1,
      fakeHardwareDelay: String(INSPECTION_SECONDS),
      temperEnv: { PROVISIONING_LIMIT: '1' },
    }),
  );
  afterAll(() => scene?.close());

  test('a host is told that it waits for its turn, while another host has the slot', async () => {
    // Registering takes as long as inspecting, so both want the slot at the same time.
    const names = ['first', 'second'] as const;
    await Promise.all(names.map((name) => aHeldHost(scene, name, {}, { online: true })));
    const waiting = async (): Promise<string | undefined> => {
      const hosts = await Promise.all(names.map((name) => getHost(scene.lab, name)));
      return names.find((_, at) => hosts[at]?.status.operationalStatus === 'delayed');
    };
    await expect.poll(waiting).toBeDefined();
    const { causes, late } = await toldOf(scene.reader, 'no-slot', host((await waiting()) ?? ''));
    expect({ first: causes[0], isInTime: late <= TOLD_WITHIN_MS }).toEqual({ first: 'no-slot', isInTime: true });
  });
});
