import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ProvideOrder } from '../../activities/ironic/deployment/provide.ts';
import { aNode, IMAGE } from '../builders/host.ts';
import { type LifeScene, openLifeScene } from './life/scene.ts';

/** A host whose metadata is wrong, from its deployment until the Secret is corrected. */
let scene: LifeScene;
/** The version of the Secret that has the wrong text. */
const WRONG = '8';
let version = WRONG;
const asked: string[] = [];
const message = 'Validation failed: Secret meta, key metaData, line 2, column 1: a tab cannot indent';

beforeAll(async () => {
  scene = await openLifeScene({
    registerNode: () => ({
      kind: 'registered',
      node: aNode(),
      verifying: false,
      created: true,
      credentialsVersion: '90',
    }),
    startInspection: () => ({ kind: 'done', node: aNode() }),
    saveInventory: () => ({ architecture: 'x86_64' }),
    prepareNode: () => ({ kind: 'done', node: aNode() }),
    setPower: () => ({ kind: 'done', node: aNode() }),
    provideNode: ({ deployment }: ProvideOrder) => {
      asked.push(`clean for ${deployment?.metaData?.name}`);
      return version === WRONG
        ? { kind: 'failed', message, node: aNode(), wrongSecret: { name: 'meta', resourceVersion: version } }
        : { kind: 'done', node: aNode({ state: 'available' }) };
    },
    deployNode: () => {
      asked.push('deploy');
      return { kind: 'done', node: aNode({ state: 'active', poweredOn: true }) };
    },
    undeployNode: () => {
      asked.push('undeploy');
      return { kind: 'done', node: aNode({ state: 'available' }) };
    },
    releaseHost: () => undefined,
    deleteNode: () => ({ kind: 'lost' }),
  });
});
afterAll(async () => scene.close());

test('a host with wrong metadata shows the error, is not cleaned for it, and is deployed once the Secret is corrected', async () => {
  const host = await scene.aHost({ spec: { online: true, image: IMAGE, metaData: { name: 'meta' } } });
  const error = { errorType: 'provisioning error', errorMessage: message, provisioningFailCount: 0 };
  await expect.poll(() => host.shown.at(-1)).toMatchObject({ shown: { state: 'provisioning', status: error } });
  // As the bridge sends it once the host shows the error.
  await host.tell({ dataSecrets: [{ name: 'meta', resourceVersion: WRONG }] });
  expect(asked).toEqual(['clean for meta']);

  version = '9';
  await host.tell({ dataSecrets: [{ name: 'meta', resourceVersion: version }] });
  await expect.poll(() => host.shown.at(-1)?.shown.state).toBe('provisioned');
  expect(asked).toEqual(['clean for meta', 'clean for meta', 'deploy']);
  expect(host.shown.map(({ shown }) => shown.state)).not.toContain('deprovisioning');
  await host.tell({ dataSecrets: [], deletionTimestamp: '2026-01-01T00:00:00Z' });
  await host.handle.result();
});
