import { expect, test } from 'vitest';
import { aHost, aNode, type aSnapshot, IMAGE } from '../../../test/builders/host.ts';
import { registeredSettings } from '../desired/wishes.ts';
import type { HostMemory, Registration } from '../memory/memory.ts';
import type { Task } from '../memory/task.ts';
import { workOf } from './words.ts';

const CLEAN = { does: 'clean the disks', erases: 'the partition tables of all disks' };
const RAID = { hardwareRAIDVolumes: [{ name: 'root', level: '1' }] };

const registered = aHost({ state: 'available' });
const known = aHost({ state: 'available', node: aNode({ state: 'manageable' }) });
const cleaned = aHost({ state: 'available', node: aNode({ state: 'available' }) });
const hinted = aHost({
  state: 'available',
  node: aNode({ state: 'available' }),
  status: {
    provisioning: { state: 'available', ID: 'n', rootDeviceHints: { deviceName: '/dev/sda', minSizeGigabytes: 10 } },
  },
});
const REGISTERS = { does: 'register with Ironic, and verify the BMC' };
/** A host whose registration was like this, and which asks for this now. */
const since = (known: Partial<Registration>, seen: Parameters<typeof aSnapshot>[0] = {}): HostMemory => {
  const { registration } = registered;
  return aHost({
    state: 'available',
    seen,
    registration: registration === null ? null : { ...registration, ...known },
  });
};
const network = (resourceVersion: string) => ({
  spec: { preprovisioningNetworkDataName: 'net' },
  preprovisioningNetworkData: { name: 'net', resourceVersion },
});
const withNetwork = { ...registeredSettings(registered), preprovisioningNetworkDataName: 'net' };
const architecture = { desired: '', observed: 'x86_64' };
const SENT: readonly (readonly [string, HostMemory])[] = [
  ['spec.bootMACAddress', since({}, { spec: { bootMACAddress: '52:54:00:00:00:99' } })],
  ['the credentials in Secret node-1-bmc', since({}, { bmcSecret: { name: 'node-1-bmc', resourceVersion: '95' } })],
  ['spec.architecture', since({ architecture }, { spec: { architecture: 'aarch64' } })],
  ['the architecture of the hardware', since({ architecture }, { hardwareArchitecture: 'aarch64' })],
  ['spec.preprovisioningNetworkDataName', since({}, network('7'))],
  [
    'the network data in Secret net',
    since({ settings: withNetwork, network: { name: 'net', seen: '7', used: '8' } }, network('9')),
  ],
];
const fresh = aHost({ state: 'registering', registration: null });

test.each<[string, HostMemory, Task['name'], object, readonly object[]]>([
  ['registers', fresh, 'register', {}, [REGISTERS]],
  ...SENT.map(([what, memory]): [string, HostMemory, Task['name'], object, readonly object[]] => [
    `sends ${what}`,
    memory,
    'register',
    {},
    [{ does: `send to Ironic: ${what}` }],
  ]),
  ['sends nothing', registered, 'register', {}, []],
  ['is not known', aHost({ state: 'available', registration: null }), 'register', {}, [REGISTERS]],
  ['inspects', known, 'inspect', {}, [{ does: 'boot the deploy agent, and inspect the hardware' }]],
  ['asks the BMC', known, 'inspect', { inspectionMode: 'fast' }, [{ does: 'ask the BMC for the hardware' }]],
  [
    'prepares nothing',
    known,
    'prepare',
    { bmc: { address: 'idrac-redfish://bmc/1' } },
    [{ does: 'have Ironic make the node manageable' }],
  ],
  [
    'builds volumes',
    known,
    'prepare',
    { bmc: { address: 'idrac-redfish://bmc/1' }, targetRaid: RAID, unprepared: true },
    [
      { does: 'delete the RAID volumes', erases: 'all RAID volumes with their data' },
      { does: 'build the RAID volumes of spec.raid' },
    ],
  ],
  [
    'builds software volumes',
    known,
    'prepare',
    {
      bmc: { address: 'redfish://bmc/1' },
      targetRaid: { softwareRAIDVolumes: [{ level: '1', rootVolume: false }] },
      unprepared: true,
    },
    [
      { does: 'delete the RAID volumes', erases: 'all RAID volumes with their data' },
      CLEAN,
      { does: 'build the RAID volumes of spec.raid' },
    ],
  ],
  [
    'writes an image to the disk that Ironic chooses',
    aHost({ state: 'available', status: { provisioning: { state: 'available', ID: 'n', rootDeviceHints: {} } } }),
    'provision',
    { image: IMAGE, automatedCleaningMode: 'disabled' },
    [{ does: `write ${IMAGE.url} to the root disk, and boot it`, erases: 'the root disk' }],
  ],
  [
    'writes an image',
    known,
    'provision',
    { image: IMAGE },
    [
      CLEAN,
      {
        does: `write ${IMAGE.url} to the disk with deviceName /dev/sda, and boot it`,
        erases: 'the disk with deviceName /dev/sda',
      },
    ],
  ],
  [
    'writes an image without cleaning',
    known,
    'provision',
    { image: IMAGE, automatedCleaningMode: 'disabled' },
    [
      {
        does: `write ${IMAGE.url} to the disk with deviceName /dev/sda, and boot it`,
        erases: 'the disk with deviceName /dev/sda',
      },
    ],
  ],
  [
    'writes an image to the disk of its hints',
    hinted,
    'provision',
    { image: IMAGE },
    [
      {
        does: `write ${IMAGE.url} to the disk with deviceName /dev/sda, minSizeGigabytes 10, and boot it`,
        erases: 'the disk with deviceName /dev/sda, minSizeGigabytes 10',
      },
    ],
  ],
  [
    'boots a live ISO',
    cleaned,
    'provision',
    { image: { url: 'http://images/live.iso', format: 'live-iso' } },
    [{ does: 'boot the live ISO http://images/live.iso' }],
  ],
  [
    'runs a deploy step',
    cleaned,
    'provision',
    { customDeployMethod: 'install' },
    [{ does: 'run the deploy step install', erases: 'what that step overwrites' }],
  ],
  [
    'runs a deploy step with an image',
    cleaned,
    'provision',
    { customDeployMethod: 'install', image: { url: 'http://user:password@images/a.raw' } },
    [{ does: 'run the deploy step install with http://images/a.raw', erases: 'what that step overwrites' }],
  ],
  ['removes what is deployed', cleaned, 'deprovision', {}, [{ does: 'remove what is deployed' }, CLEAN]],
  [
    'waits for a slot',
    fresh,
    'ask for place',
    { lock: 'slots', needs: [{ budget: 'slots in Ironic', limit: 20 }] },
    [{ does: 'wait for one of 20 slots in Ironic, if all are taken' }],
  ],
  ['returns a slot', fresh, 'return place', { lock: 'slots' }, []],
  [
    'is detached',
    cleaned,
    'detach',
    {},
    [{ does: 'delete the node from Ironic; what runs on the server keeps running' }],
  ],
  ['is aborted', cleaned, 'abort', {}, [{ does: 'abort what Ironic does' }]],
])('the plan of a host that %s says what it does and what is lost', (_, memory, name, order, expected) => {
  expect(workOf(memory, { name, order } as Task)).toEqual(expected);
});
