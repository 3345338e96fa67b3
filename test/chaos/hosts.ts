import type { BareMetalHostSpec } from '../../api/baremetalhost/types.ts';
import type { TestFixtureLab } from '../e2e/support/fixture.ts';
import { fixtureHost, fixtureSecret, withoutSlot } from '../e2e/support/fixture.ts';
import { bmcSecret, hostManifest } from '../e2e/support/hosts.ts';
import type { TestLab } from '../e2e/support/lab.ts';

/** The parts of a lab that the campaign needs: hosts by number, and images by name. */
export interface Ground {
  /** A BareMetalHost and its Secrets. */
  manifests(index: number, wish: HostWish): readonly Manifest[];
  image(name: string): NonNullable<BareMetalHostSpec['image']>;
}

export interface HostWish {
  readonly spec?: Partial<BareMetalHostSpec>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

export const hostName = (index: number): string => `host-${index}`;
export const indexOf = (host: string): number => Number(host.replace('host-', ''));

const withMetadata = (host: object, { labels = {}, annotations = {} }: HostWish): Manifest => {
  const { metadata, ...rest } = host as { readonly kind: string; readonly metadata: { readonly name: string } };
  return { ...rest, metadata: { ...metadata, labels, annotations } as Manifest['metadata'] };
};

export const fixtureGround: Ground = {
  manifests(index, wish) {
    const name = hostName(index);
    const host = fixtureHost(name, wish.spec);
    return [fixtureSecret(name) as Manifest, withMetadata(index % 2 === 0 ? host : withoutSlot(host), wish)];
  },
  image: (name) => ({
    url: `http://192.168.222.1/${name}.img`,
    checksum: 'c8fc807773e5354afe61636071771906',
    checksumType: 'md5',
  }),
};

export const ironicGround = (lab: TestLab): Ground => ({
  manifests(index, wish) {
    const host = hostManifest(lab, index, wish.spec);
    return [bmcSecret(lab, hostName(index)) as Manifest, withMetadata(host, wish)];
  },
  // The lab's server of images ignores the query.
  image: (name) => ({ ...lab.endpoints.testImage, url: `${lab.endpoints.testImage.url}?${name}` }),
});

/** The hosts of a campaign by what is done with them. */
export interface Roles {
  /** People set and remove their images, and delete and create them. */
  readonly peoples: readonly number[];
  /** Machines claim them. */
  readonly machines: readonly number[];
  /** Nobody changes them. */
  readonly resting: readonly { readonly index: number; readonly wish: HostWish }[];
}

const RESTING: readonly HostWish[] = [
  { spec: { externallyProvisioned: true } },
  { spec: { online: false } },
  { annotations: { 'baremetalhost.metal3.io/detached': '' } },
  { annotations: { 'baremetalhost.metal3.io/paused': '' } },
  { spec: { inspectionMode: 'disabled' } },
];

export function rolesOf(hosts: number): Roles {
  const indexes = Array.from({ length: hosts }, (_, index) => index);
  const resting = indexes.slice(-Math.min(RESTING.length, Math.floor(hosts / 4)));
  const busy = indexes.slice(0, hosts - resting.length);
  const forPeople = Math.ceil(busy.length * 0.6);
  return {
    peoples: busy.slice(0, forPeople),
    machines: busy.slice(forPeople),
    resting: resting.map((index, at) => ({ index, wish: RESTING[at] ?? {} })),
  };
}

/** Machines select hosts with this label. */
export const FOR_MACHINES = { 'for-machines': 'yes' } as const;

export type AnyTestLab = TestLab | TestFixtureLab;

export const isOnIronic = (lab: AnyTestLab): lab is TestLab => 'ironicDirect' in lab.endpoints;
