import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BareMetalHostSpec } from '../../../api/baremetalhost/types.ts';
import type { Kube } from '../../../kube/client.ts';
import { type FixtureLab, type FixtureLabOptions, startLab } from '../../../lab/lab.ts';
import { secret } from './hosts.ts';
import { withKube } from './lab.ts';
import { NAMESPACE } from './place/namespace.ts';

export interface TestFixtureLab extends FixtureLab {
  readonly kube: Kube;
}

/** A lab without Ironic on free ports; it is deleted completely when it is stopped. */
export async function aFixtureLab(options: Partial<FixtureLabOptions> = {}): Promise<TestFixtureLab> {
  const dir = await mkdtemp(join(tmpdir(), 'temper-e2e-'));
  return withKube(await startLab({ dir, provisioner: 'fixture', preferredPorts: false, ephemeral: true, ...options }));
}

export const IMAGE = {
  url: 'http://192.168.222.1/cirros.img',
  checksum: 'c8fc807773e5354afe61636071771906',
  checksumType: 'md5',
} as const;

/** A BareMetalHost as in upstream's own tests; the fixture accepts any address. */
export const fixtureHost = (name: string, spec: Partial<BareMetalHostSpec> = {}, annotations = {}): object => ({
  apiVersion: 'metal3.io/v1alpha1',
  kind: 'BareMetalHost',
  metadata: { name, namespace: NAMESPACE, annotations },
  spec: {
    online: true,
    bmc: {
      address: `redfish+http://192.168.222.1:8000/redfish/v1/Systems/${randomBytes(4).toString('hex')}`,
      credentialsName: `${name}-bmc`,
    },
    bootMACAddress: `00:60:2f:${randomBytes(3).toString('hex').match(/../g)?.join(':')}`,
    ...spec,
  },
});

/** The host with a BMC that boots ISOs, so that it needs no slot of Ironic. */
export function withoutSlot(host: object): object {
  const { spec, ...rest } = host as { readonly spec: { readonly bmc: { readonly address: string } } };
  const address = spec.bmc.address.replace('redfish+http:', 'redfish-virtualmedia+http:');
  return { ...rest, spec: { ...spec, bmc: { ...spec.bmc, address } } };
}

/** The Secret that `fixtureHost` names. */
export const fixtureSecret = (name: string): object =>
  secret(`${name}-bmc`, { username: 'admin', password: 'password' });
