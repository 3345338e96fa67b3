import { afterAll, beforeAll, expect, test } from 'vitest';
import { KINDS } from '../../kube/kinds.ts';
import { eventsOf } from './bridge/harness.ts';
import { sharedControlPlane } from './control-plane.ts';
import { openScene } from './data/scene.ts';

let scene: Awaited<ReturnType<typeof openScene>>;
beforeAll(async () => {
  scene = await openScene(sharedControlPlane());
});
afterAll(() => scene?.end());

const poolRef = { name: 'later', kind: 'IPPool', apiGroup: 'ipam.metal3.io' };
const CLAIMS = [
  { kind: KINDS.ipClaim, name: 'early', spec: { pool: { name: 'later' } }, address: ['address', 'name'] },
  {
    kind: KINDS.ipAddressClaim,
    name: 'early-too',
    spec: { clusterName: 'blue', poolRef },
    address: ['addressRef', 'name'],
  },
] as const;

test('a claim of either kind says that its pool does not exist, and is served when the pool comes', async () => {
  for (const { kind, name, spec } of CLAIMS) await scene.create(kind, name, { spec });
  const message = `IPPool ${scene.namespace}/later does not exist. The claim gets an address when somebody creates it`;
  const warning = { type: 'Warning', reason: 'PoolNotReady', message };
  for (const { name } of CLAIMS) await expect.poll(() => eventsOf(scene, name)).toMatchObject([warning]);
  expect(await scene.read(KINDS.ipAddressClaim, 'early-too')).toMatchObject({
    status: { conditions: [{ type: 'Ready', status: 'False', reason: 'PoolNotReady', message }] },
  });
  expect((await scene.read(KINDS.ipClaim, 'early'))?.status).toBeUndefined();

  await scene.create(KINDS.ipPool, 'later', { spec: { namePrefix: 'later', pools: [{ subnet: '10.13.0.0/24' }] } });
  for (const { kind, name, address } of CLAIMS)
    await expect
      .poll(() => scene.read(kind, name))
      .toHaveProperty(['status', ...address], expect.stringMatching(/^later-10-13-0-[12]$/));
  expect(await scene.read(KINDS.ipAddressClaim, 'early-too')).toMatchObject({
    status: { conditions: [{ type: 'Ready', status: 'True', reason: 'Allocated' }] },
  });
  for (const { name } of CLAIMS) expect(await eventsOf(scene, name)).toHaveLength(1);
});
