import type { StoryManifest } from '../../../lab/hosts/manifests.ts';
import { bmcAddress, type IronicEndpoints } from '../../../lab/ironic/ironic-lab.ts';
import type { Failure } from '../../../lab/machines/failure.ts';
import { bootMac, type LabMachine } from '../../../lab/machines/machine.ts';

/** The hosts that baremetal-operator leaves behind, beside the four of the example cluster (machines 16 to 19). */

type Endpoints = Pick<IronicEndpoints, 'redfish' | 'images' | 'testImage' | 'bmc' | 'deployIso'>;

/** What a host shows when baremetal-operator has done its part. Absent fields may be anything. */
export interface Shown {
  readonly state: string;
  readonly operationalStatus?: 'OK' | 'error' | 'detached';
  readonly on?: boolean;
  readonly errorType?: string;
}

interface Change {
  /** The host is changed once it shows this. */
  readonly after: Shown;
  readonly spec?: object;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Before the change, its machine gets these failures. */
  readonly failures?: readonly Failure[];
}

export interface LeftHost {
  readonly spec: (endpoints: Endpoints) => object;
  readonly secrets?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Of its BMC Secret; null: the Secret is missing. */
  readonly password?: string | null;
  /** Failures of its machine from the start. */
  readonly failures?: readonly Failure[];
  readonly change?: Change;
  readonly left: Shown;
  /** An operation is under way: created when all others are in their states. */
  readonly underWay?: true;
}

const PROVISIONED = { state: 'provisioned', operationalStatus: 'OK', on: true } as const;
const FREE = { state: 'available', operationalStatus: 'OK' } as const;
const withImage = ({ testImage }: Endpoints): object => ({ online: true, image: testImage });
const HOUR = 3_600_000;

/** By name; the n-th host has the n-th machine. */
export const LEFT_HOSTS: Readonly<Record<string, LeftHost>> = {
  'free-on': { spec: () => ({ online: true }), left: { ...FREE, on: true } },
  'free-off': { spec: () => ({ online: false }), left: { ...FREE, on: false } },
  'free-again': {
    spec: withImage,
    change: { after: PROVISIONED, spec: { image: null } },
    left: { ...FREE, on: true },
  },
  plain: { spec: withImage, left: PROVISIONED },
  'with-data': {
    spec: (endpoints) => ({
      ...withImage(endpoints),
      userData: { name: 'with-data-user' },
      metaData: { name: 'with-data-meta' },
      networkData: { name: 'with-data-network' },
      rootDeviceHints: { deviceName: '/dev/sda' },
    }),
    secrets: {
      'with-data-user': { userData: '#cloud-config\nhostname: with-data\n' },
      'with-data-meta': { metaData: 'rack: r1\n' },
      'with-data-network': { networkData: 'links: []\nnetworks: []\nservices: []\n' },
    },
    left: PROVISIONED,
  },
  off: {
    spec: withImage,
    change: { after: PROVISIONED, spec: { online: false } },
    left: { ...PROVISIONED, on: false },
  },
  held: {
    spec: withImage,
    change: { after: PROVISIONED, annotations: { 'reboot.metal3.io/maintenance': '' } },
    left: { ...PROVISIONED, on: false },
  },
  'given-up': {
    // The image is missing. With a wrong checksum instead, baremetal-operator was seen to try again and again.
    spec: ({ images }) => ({
      online: true,
      image: {
        url: `${images}/missing.raw`,
        checksum: `${images}/missing.raw.sha256`,
        checksumType: 'sha256',
      },
    }),
    left: { state: 'available', operationalStatus: 'error', errorType: 'provisioning error' },
  },
  live: {
    spec: ({ images }) => ({ online: true, image: { url: `${images}/live-1MiB.iso`, format: 'live-iso' } }),
    left: PROVISIONED,
  },
  external: {
    spec: () => ({ online: true, externallyProvisioned: true }),
    left: { state: 'externally provisioned', operationalStatus: 'OK', on: true },
  },
  deprovisioning: {
    spec: withImage,
    change: {
      after: PROVISIONED,
      failures: [{ kind: 'slow-step', milliseconds: HOUR, times: 1 }],
      spec: { image: null },
    },
    left: { state: 'deprovisioning' },
    underWay: true,
  },
  'wrong-password': {
    spec: () => ({ online: true }),
    password: 'wrong',
    left: { state: 'registering', operationalStatus: 'error', errorType: 'registration error' },
  },
  'no-secret': {
    spec: () => ({ online: true }),
    password: null,
    left: { state: 'registering', operationalStatus: 'error', errorType: 'registration error' },
  },
  paused: {
    spec: withImage,
    change: { after: PROVISIONED, annotations: { 'baremetalhost.metal3.io/paused': '' } },
    left: PROVISIONED,
  },
  detached: {
    spec: withImage,
    change: { after: PROVISIONED, annotations: { 'baremetalhost.metal3.io/detached': '' } },
    left: { state: 'provisioned', operationalStatus: 'detached' },
  },
  inspecting: {
    spec: () => ({ online: true }),
    failures: [{ kind: 'slow-boot', milliseconds: HOUR, times: 1 }],
    left: { state: 'inspecting' },
    underWay: true,
  },
  // The last one, because it has no machine.
  unmanaged: {
    spec: () => ({ online: true, bmc: undefined, bootMACAddress: undefined }),
    left: { state: 'unmanaged' },
  },
};

/** The machine's number in the lab. */
export const machineOfHost = (name: string): number => Object.keys(LEFT_HOSTS).indexOf(name);

/** A host with its Secrets. */
export function manifestsOf(
  name: string,
  { machines, endpoints }: { readonly machines: readonly LabMachine[]; readonly endpoints: Endpoints },
): readonly StoryManifest[] {
  const host = LEFT_HOSTS[name];
  const machine = machines[machineOfHost(name)];
  if (host === undefined || machine === undefined) throw new Error(`the lab has no machine for a host ${name}`);
  const { password = endpoints.bmc.password } = host;
  const secrets = {
    ...(password !== null && { [`${name}-bmc`]: { username: endpoints.bmc.username, password } }),
    ...host.secrets,
  };
  const spec = {
    bootMACAddress: bootMac(machine),
    bmc: { address: bmcAddress(machine, endpoints), credentialsName: `${name}-bmc` },
    ...host.spec(endpoints),
  };
  return [
    ...Object.entries(secrets).map(
      ([secret, stringData]): StoryManifest => ({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: secret },
        stringData,
      }),
    ),
    { apiVersion: 'metal3.io/v1alpha1', kind: 'BareMetalHost', metadata: { name }, spec },
  ];
}
