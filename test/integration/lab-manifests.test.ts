import { afterAll, describe, expect, inject, test } from 'vitest';
import { connectKube } from '../../kube/client.ts';
import { createMissing } from '../../lab/hosts/apply.ts';

const kubeconfig = inject('kubeconfig');
const kube = connectKube(kubeconfig);
afterAll(() => kube.close());

const suffix = Math.random().toString(36).slice(2, 8);
const namespace = `manifests-${suffix}`;
const host = (address: string) => ({
  apiVersion: 'metal3.io/v1alpha1',
  kind: 'BareMetalHost',
  metadata: { name: 'host', namespace },
  spec: { online: true, bmc: { address, credentialsName: 'bmc' } },
});
const addressOf = async (): Promise<unknown> => {
  const found = await kube.find(`/apis/metal3.io/v1alpha1/namespaces/${namespace}/baremetalhosts/host`);
  return (found as ReturnType<typeof host>).spec.bmc.address;
};

describe('objects of the stories', () => {
  test('are created, of any kind that the API server serves, and kept when they exist', async () => {
    const scope = [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }];
    const manifests = [
      host('redfish://127.0.0.1:8000/redfish/v1/Systems/1'),
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'bmc', namespace }, stringData: { username: 'admin' } },
    ];
    expect(await createMissing(kubeconfig, scope)).toEqual({ created: [`Namespace/${namespace}`], kept: [] });
    expect(await createMissing(kubeconfig, manifests)).toEqual({
      created: ['Secret/bmc', 'BareMetalHost/host'],
      kept: [],
    });
    const { created, kept } = await createMissing(kubeconfig, [...scope, ...manifests]);
    expect({ created, kept: kept.toSorted() }).toEqual({
      created: [],
      kept: ['BareMetalHost/host', `Namespace/${namespace}`, 'Secret/bmc'],
    });
  });

  test('follow their BMC to another port, and nowhere else', async () => {
    await createMissing(kubeconfig, [host('redfish://127.0.0.1:9000/redfish/v1/Systems/1')]);
    expect(await addressOf()).toBe('redfish://127.0.0.1:9000/redfish/v1/Systems/1');
    await createMissing(kubeconfig, [host('redfish://127.0.0.1:9000/redfish/v1/Systems/2')]);
    expect(await addressOf()).toBe('redfish://127.0.0.1:9000/redfish/v1/Systems/1');
  });

  test('of a kind that is not served are refused by name', async () => {
    const strange = { apiVersion: 'v1', kind: 'Teapot', metadata: { name: 'x' } };
    await expect(createMissing(kubeconfig, [strange])).rejects.toThrow('the API server does not serve Teapot of v1');
  });
});
