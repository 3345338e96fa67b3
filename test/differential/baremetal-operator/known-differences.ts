import { type Change, changed, type KnownDifference } from '../differences.ts';
import type { Account } from './account.ts';

const HOST = ['left', 'BareMetalHost host'] as const;
const WRONG_PASSWORD =
  "registration error: Validation error with BMC credentials: Missing BMC connection details 'password' in credentials";
const NO_PULL_SECRET = 'provisioning error: auth secret "pull" not found in namespace "<namespace>"';
const ERROR_COUNT = [...HOST, 'status', 'errorCount'];

const counts = (upstream: readonly number[], temper: readonly number[]): readonly Change[] => [
  { at: ['errorCount'], upstream, temper },
  { at: ERROR_COUNT, upstream: upstream.at(-1), temper: temper.at(-1) },
];

/** Upstream's fixture provisioner reports no starts: with it the error stays until the next deployment. */
const errorOfDeployment = (states: readonly string[]): Change => ({
  at: ['errors'],
  upstream: states.map((state) => `${state}: ${NO_PULL_SECRET}`),
  temper: [`provisioning: ${NO_PULL_SECRET}`],
});

const VALIDATED = 'BMCAccessValidated (Normal): Verified access to BMC';
const INSPECTED = 'InspectionComplete (Normal): Hardware inspection completed';

/** Behind this Event, Temper tells why an operation was ended; upstream tells nothing. */
const cancelled = (at: string, after: string, told: string): readonly Change[] => [
  { at: ['events', at], upstream: after, temper: [after, told] },
];
const inspectionEnded = (why: string): readonly Change[] =>
  cancelled('2', VALIDATED, `InspectionCancelled (Normal): Hardware inspection ended: ${why}`);
const provisioningEnded = (why: string): readonly Change[] =>
  cancelled('3', INSPECTED, `ProvisioningCancelled (Normal): Image provisioning ended: ${why}`);

/** A Secret of a host that is being deleted, which keeps its finalizer. */
const HELD_SECRET = {
  metadata: {
    labels: { 'environment.metal3.io': 'baremetal' },
    finalizers: ['baremetalhost.metal3.io/secret'],
    ownerReferences: [{ apiVersion: 'metal3.io/v1alpha1', kind: 'BareMetalHost', name: 'host', uid: '<uid>' }],
    deletionTimestamp: '<time>',
  },
};

export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    row: 'C2',
    stories: [
      'the pull secret of an image is missing and then there',
      'an image whose pull secret is missing is replaced by another',
      'an image whose pull secret is missing is removed',
    ],
    changes: [errorOfDeployment(['provisioning', 'deprovisioning', 'available'])],
  },
  {
    row: 'C2',
    stories: ['a host fails again and again with the same image'],
    changes: [
      errorOfDeployment([
        'provisioning',
        'deprovisioning',
        'available',
        'provisioning',
        'deprovisioning',
        'available',
        'provisioning',
      ]),
    ],
  },
  {
    row: 'C60',
    stories: ['a Secret without a user name is put right', 'a host with the name of a Secret and without an address'],
    changes: counts([0, 1, 2, 0], [0, 1, 0]),
  },
  {
    row: 'C60',
    stories: ['a Secret with an empty password is put right'],
    changes: counts([0, 1, 2, 3, 0], [0, 1, 2, 0]),
  },
  {
    row: 'C61',
    stories: [
      'an available host is given a Secret that does not exist yet',
      'the Secret of an available host becomes wrong and right again',
      'a host has used up its tries and its image is removed',
    ],
    changes: counts([0, 1], [0, 1, 0]),
  },
  {
    row: 'C61',
    stories: ['a provisioned host is switched off while its Secret is wrong'],
    changes: counts([0, 1, 2], [0, 1, 2, 0]),
  },
  { row: 'C61', stories: ['a host is restored with an error'], changes: counts([2], [2, 0]) },
  {
    row: 'C120',
    stories: [
      'a host has a software RAID from its start',
      'a host with a software RAID is provisioned and deprovisioned',
    ],
    changes: [
      {
        at: [...HOST, 'status', 'provisioning', 'rootDeviceHints'],
        upstream: { deviceName: '/dev/sda' },
        temper: undefined,
      },
    ],
  },
  {
    row: 'C62',
    stories: ['a provisioned host whose Secret became wrong is deleted'],
    changes: [{ at: ['errors', '1'], upstream: `deprovisioning: ${WRONG_PASSWORD}`, temper: undefined }],
  },
  {
    row: 'C63',
    stories: ['a provisioned host whose Secret became wrong is deleted'],
    changes: [{ at: ['left', 'Secret bmc'], upstream: HELD_SECRET, temper: undefined }],
  },
  {
    row: 'C101',
    stories: ['a host with network data of its inspection is deleted'],
    changes: [
      {
        at: ['left', 'Secret network'],
        upstream: { metadata: { labels: { 'environment.metal3.io': 'baremetal' } } },
        temper: { metadata: {} },
      },
    ],
  },
  {
    // It never was a password, so the host never owned it; what Temper marked is released (C101).
    row: 'C105',
    stories: ['a host with a wrong Secret is deleted'],
    changes: [
      {
        at: ['left', 'Secret bmc'],
        upstream: HELD_SECRET,
        temper: { metadata: {} },
      },
    ],
  },
  {
    row: 'C64',
    stories: ['the image is changed while it is provisioned'],
    changes: [
      {
        at: ['states'],
        upstream: ['registering', 'inspecting', 'preparing', 'available', 'provisioning', 'provisioned'],
        temper: [
          'registering',
          'inspecting',
          'preparing',
          'available',
          'provisioning',
          'deprovisioning',
          'available',
          'provisioning',
          'provisioned',
        ],
      },
      {
        at: ['events', '4'],
        upstream: 'ProvisioningComplete (Normal): Image provisioning completed',
        temper: [
          'DeprovisioningComplete (Normal): Image deprovisioning completed',
          'ProvisioningComplete (Normal): Image provisioning completed',
        ],
      },
      {
        at: [...HOST, 'status', 'operationHistory', 'deprovision'],
        upstream: {},
        temper: { start: '<time>', end: '<time>' },
      },
    ],
  },
  {
    row: 'C65',
    stories: ['the image is removed while it is provisioned'],
    changes: [
      {
        at: [...HOST, 'status', 'lastAttemptedImage'],
        upstream: undefined,
        temper: { url: 'http://images.test/a.qcow2', checksum: 'http://images.test/a.sha256' },
      },
    ],
  },
  {
    row: 'C127',
    stories: ['the pull secret of an image is of another type', 'a host fails again and again with the same image'],
    changes: [{ at: [...HOST, 'status', 'conditions', 'Reconciling'], upstream: undefined, temper: 'True Retrying' }],
  },
  { row: 'C131', stories: ['a host is deleted while it is inspected'], changes: inspectionEnded('host deleted') },
  {
    row: 'C131',
    stories: ['inspection is disabled while the host is inspected'],
    changes: inspectionEnded('inspection disabled'),
  },
  {
    row: 'C131',
    stories: ['a host that is inspected is detached at once with force'],
    changes: inspectionEnded('host detached'),
  },
  { row: 'C131', stories: ['a host is deleted while it is provisioned'], changes: provisioningEnded('host deleted') },
  {
    row: 'C131',
    stories: ['the image is removed while it is provisioned'],
    changes: provisioningEnded('spec.image removed'),
  },
  {
    row: 'C131',
    stories: ['the image is changed while it is provisioned'],
    changes: provisioningEnded('spec.image changed'),
  },
  {
    row: 'C66',
    stories: ['a host has a hardware profile nobody knows, and then another'],
    changes: [{ at: ['operationalStatus'], upstream: ['', 'OK', 'error', 'OK'], temper: ['', 'error', 'OK'] }],
  },
];

/** Stories that wait for something that never happens with Temper, with the rows that explain it. */
export const NOT_PLAYED: Readonly<Record<string, string>> = {
  'a missing Secret is looked for again and again': 'C1',
};

/** Stories in which upstream's result comes from its fixture provisioner only, and why; with Ironic it is different. */
export const FIXTURES_OWN: Readonly<Record<string, string>> = {
  'a provisioned host that must not be switched off is rebooted': 'it is not told of disablePowerOff',
};

/** Upstream's account with our intended differences applied. */
export const asTemper = (account: Account, story: string): Account =>
  changed(
    account,
    KNOWN_DIFFERENCES.filter(({ stories }) => stories.includes(story)).flatMap(({ changes }) => changes),
  );
