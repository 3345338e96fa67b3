/** A kind of baremetal-operator that Temper does not have. Its objects stay as they are, and nobody acts on them. */
export interface ForeignKind {
  readonly kind: string;
  readonly plural: string;
  /** Which of its objects hinder a switch. */
  readonly hinders: 'all' | 'those that ask' | 'none';
  readonly what: string;
  readonly next: string;
}

export const FOREIGN_API = 'metal3.io/v1alpha1';

const FOLLOWS_ITS_HOST = 'Nothing: it goes with its host.';

export const FOREIGN_KINDS = [
  {
    kind: 'HostFirmwareSettings',
    plural: 'hostfirmwaresettings',
    hinders: 'those that ask',
    what: 'Temper neither reads nor changes BIOS settings by it',
    next: 'Let its operator apply spec.settings, then remove them.',
  },
  {
    kind: 'HostFirmwareComponents',
    plural: 'hostfirmwarecomponents',
    hinders: 'those that ask',
    what: 'Temper does not update firmware by it',
    next: 'Let its operator apply spec.updates, then remove them.',
  },
  {
    kind: 'HostUpdatePolicy',
    plural: 'hostupdatepolicies',
    hinders: 'none',
    what: 'Temper does not service hosts while their image runs',
    next: FOLLOWS_ITS_HOST,
  },
  {
    kind: 'FirmwareSchema',
    plural: 'firmwareschemas',
    hinders: 'none',
    what: 'Temper does not read it',
    next: FOLLOWS_ITS_HOST,
  },
  {
    kind: 'BMCEventSubscription',
    plural: 'bmceventsubscriptions',
    hinders: 'all',
    what: 'its subscription stays in the BMC, and its finalizer keeps it and its namespace from being deleted',
    next: 'Delete it while its operator runs.',
  },
  {
    kind: 'HostClaim',
    plural: 'hostclaims',
    hinders: 'all',
    what: 'Temper gives it no host and takes none from it, and its finalizer keeps it and its namespace from being deleted',
    next: 'Delete it while its operator runs, or leave its hosts to that operator, in namespaces of their own.',
  },
  {
    kind: 'HostDeployPolicy',
    plural: 'hostdeploypolicies',
    hinders: 'none',
    what: 'only HostClaims follow it',
    next: 'Nothing.',
  },
  {
    kind: 'BareMetalSwitch',
    plural: 'baremetalswitches',
    hinders: 'all',
    what: 'Temper does not write the configuration of switches for Ironic',
    next: 'Keep that configuration by hand, and delete the object.',
  },
  {
    kind: 'HostNetworkAttachment',
    plural: 'hostnetworkattachments',
    hinders: 'none',
    what: 'nothing keeps it from being changed or deleted while hosts name it',
    next: 'Nothing: no operator acts on it.',
  },
] as const satisfies readonly ForeignKind[];
