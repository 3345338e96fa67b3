import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { reservesHosts, reuseLabel } from '../../activities/kubernetes/machine/node-reuse.ts';
import { connectKube } from '../../kube/client.ts';
import { collectionPath } from '../../kube/paths.ts';
import { serveKinds } from '../builders/throw-away-kinds.ts';

const kube = connectKube(inject('kubeconfig'));
const namespace = `reuse-${randomBytes(4).toString('hex')}`;

beforeAll(async () => {
  await kube.request({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: namespace } } });
});
afterAll(() => kube.close());

describe('whether hosts are kept', () => {
  const API = 'infrastructure.cluster.x-k8s.io/v1beta2';
  test('is not known, and so not so, where there is no MachineSet and no control plane', async () => {
    const machineSet = { name: 'nowhere', uid: 'x' };
    expect(await reuseLabel(kube, { namespace, machineSet })).toBeUndefined();
    expect(await reservesHosts(kube, { namespace, machineSet })).toBe(false);
    expect(await reservesHosts(kube, { namespace })).toBe(false);
    const controlPlane = { apiVersion: 'nowhere.example.com/v1', kind: 'Odd', name: 'cp' };
    expect(await reuseLabel(kube, { namespace, controlPlane })).toBe('cp-cp');
    expect(await reservesHosts(kube, { namespace, controlPlane })).toBe(false);
  });
  test('is what the template says that a control plane of any provider names', async () => {
    const group = `${randomBytes(4).toString('hex')}.example.temper`;
    const planes = { apiVersion: `${group}/v1`, kind: 'Plane', plural: 'planes' };
    await serveKinds(kube, [planes]);
    const templates = { apiVersion: API, plural: 'metal3machinetemplates' };
    const template = (name: string, nodeReuse: boolean, where = namespace) =>
      kube.request({
        method: 'POST',
        path: collectionPath(templates, where),
        body: {
          apiVersion: API,
          kind: 'Metal3MachineTemplate',
          metadata: { name },
          spec: { nodeReuse, template: { spec: {} } },
        },
      });
    await template('keeping', true);
    await template('wasteful', false);
    await template(`${namespace}-neighbours`, true, 'default');
    const plane = (name: string, machineTemplate: object) =>
      kube.request({
        method: 'POST',
        path: collectionPath(planes, namespace),
        body: { apiVersion: planes.apiVersion, kind: 'Plane', metadata: { name }, spec: { machineTemplate } },
      });
    const infrastructureRef = { name: 'keeping' };
    await expect
      .poll(() => plane('now', { spec: { infrastructureRef } }).then(Boolean, () => false), { timeout: 60_000 })
      .toBe(true);
    await plane('before', { infrastructureRef });
    await plane('other', { spec: { infrastructureRef: { name: 'wasteful' } } });
    await plane('lost', { spec: { infrastructureRef: { name: 'nowhere' } } });
    await plane('ours', { infrastructureRef: { name: 'keeping', namespace } });
    await plane('neighbours', { infrastructureRef: { name: `${namespace}-neighbours`, namespace: 'default' } });
    const keeps = (name: string) =>
      reservesHosts(kube, { namespace, controlPlane: { apiVersion: planes.apiVersion, kind: 'Plane', name } });
    expect(await Promise.all(['now', 'before', 'ours', 'other', 'lost', 'neighbours', 'nowhere'].map(keeps))).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});
