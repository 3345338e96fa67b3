import { describe, expect, test } from 'vitest';
import { parseStatus } from '../../kube/objects/carried-status.ts';
import { aMachine, discoverySettings } from '../../test/builders/discovery.ts';
import { hostObject } from './host-object.ts';

const made = (change: Parameters<typeof aMachine>[0] = {}) =>
  hostObject(aMachine(change), 'discovered-1', discoverySettings({ labels: { rack: 'r1' } })) as {
    readonly metadata: { readonly annotations: Readonly<Record<string, string>> };
  };

describe('the host of a discovered machine', () => {
  test('has the MAC address, labels that say so, our finalizer, no BMC details, and stays off', () => {
    const { metadata, ...host } = made();
    const { annotations, ...named } = metadata;
    expect({ ...host, metadata: named }).toEqual({
      apiVersion: 'metal3.io/v1alpha1',
      kind: 'BareMetalHost',
      metadata: {
        namespace: 'metal',
        name: 'discovered-1',
        labels: { 'temper.metal3.io/discovered': 'true', rack: 'r1' },
        finalizers: ['baremetalhost.metal3.io'],
      },
      spec: { online: false, bootMACAddress: '52:54:00:00:00:01' },
    });
    expect(annotations).toMatchObject({
      'temper.metal3.io/discovered-node': 'node-1',
      'temper.metal3.io/discovered-bmc-address': '192.0.2.7',
    });
  });

  test('begins with a status that names its node, which the bridge can read', () => {
    const { annotations } = made().metadata;
    expect(parseStatus(annotations['baremetalhost.metal3.io/status'] ?? '')).toMatchObject({
      provisioning: { state: '', ID: 'node-1' },
    });
  });

  test('boots as the machine did', () => {
    expect(made({ bootsLegacy: true })).toMatchObject({ spec: { bootMode: 'legacy' } });
  });

  test('names no BMC that the machine did not report', () => {
    expect(Object.keys(made({ bmcAddresses: [] }).metadata.annotations)).not.toContain(
      'temper.metal3.io/discovered-bmc-address',
    );
  });
});
