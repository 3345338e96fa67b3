import { type Manifest, readManifestFile } from '../control-plane/manifest.ts';
import { bmcAddress, type IronicEndpoints } from '../ironic/ironic-lab.ts';
import { bootMac, type LabMachine } from '../machines/machine.ts';

/** An object of the stories: a host, its Secret, or a part of a cluster. */
export interface StoryManifest extends Manifest {
  readonly spec?: Record<string, unknown>;
  readonly type?: string;
  readonly stringData?: Record<string, string>;
}

/** A text in a manifest for the preferred ports, and its replacement. */
export interface Relocation {
  readonly from: string;
  readonly to: string;
}

export const readManifests = (path: string, relocations: readonly Relocation[]): readonly StoryManifest[] =>
  readManifestFile<StoryManifest>(path, (text) =>
    relocations.reduce((all, { from, to }) => all.replaceAll(from, to), text),
  );

export const isHost = (manifest: StoryManifest): boolean => manifest.kind === 'BareMetalHost';

/** Exactly `count` hosts: the first ones of those given, then hosts made by `more`, which gets their number. */
export function withHostCount(
  manifests: readonly StoryManifest[],
  count: number,
  more: (from: number, count: number) => readonly StoryManifest[],
): readonly StoryManifest[] {
  const given = manifests.filter(isHost);
  const dropped = new Set(given.slice(count));
  return [...manifests.filter((manifest) => !dropped.has(manifest)), ...more(given.length, count)];
}

/** A host for a machine of the lab, with an image that the lab serves. */
export function machineHost(machine: LabMachine, endpoints: IronicEndpoints): readonly StoryManifest[] {
  const { testImage } = endpoints;
  const credentialsName = `${machine.name}-bmc`;
  const image = {
    url: testImage.url,
    checksum: testImage.checksum,
    checksumType: testImage.checksumType,
    format: 'raw',
  };
  const spec = {
    online: true,
    bootMACAddress: bootMac(machine),
    bmc: { address: bmcAddress(machine, endpoints), credentialsName },
    image,
  };
  return [
    bmcSecret(credentialsName, endpoints.bmc),
    { apiVersion: 'metal3.io/v1alpha1', kind: 'BareMetalHost', metadata: { name: machine.name }, spec },
  ];
}

/** Hosts without a machine, on Ironic's fake driver. They are cheap, so a thousand of them are possible. */
export function fakeHosts(count: number): readonly StoryManifest[] {
  const hosts = Array.from({ length: count }, (_, index): StoryManifest => {
    const name = `fake-${String(index).padStart(4, '0')}`;
    const spec = { online: true, bmc: { address: `fake-hardware://${name}`, credentialsName: 'fake-bmc' } };
    return { apiVersion: 'metal3.io/v1alpha1', kind: 'BareMetalHost', metadata: { name }, spec };
  });
  return count === 0 ? [] : [bmcSecret('fake-bmc', { username: 'fake', password: 'fake' }), ...hosts];
}

function bmcSecret(name: string, { username, password }: { username: string; password: string }): StoryManifest {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: { username, password } };
}
