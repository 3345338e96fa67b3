import type { Raid, RootDeviceHints } from '../../../api/baremetalhost/types.ts';
import { parseBmcAddress } from '../../bmc/address.ts';
import {
  hasRootVolume,
  isSoftwareRaid,
  type RaidChange,
  raidProblem,
  raidSteps,
  sameRaid,
} from '../../ironic/clean/raid.ts';
import type { PrepareOrder } from '../../ironic/orders.ts';
import { same } from '../../same.ts';
import type { HostRecord } from '../memory/host-record.ts';
import { type HostMemory, withStatus } from '../memory/memory.ts';
import { type WithProfile, wantedRootDeviceHints } from './wishes.ts';

/** What must be prepared on the server before a deployment, except firmware. */
export type Preparation = Pick<PrepareOrder, 'targetRaid' | 'rootDeviceHints'>;

type Provisioning = HostRecord['provisioning'];

/** The preparation that the spec asks for. */
export function wantedPreparation(memory: HostMemory): Preparation {
  const hints = preparedHints(memory);
  const raid = wantedRaid(memory);
  return { ...(raid !== undefined && { targetRaid: raid }), ...(hints !== undefined && { rootDeviceHints: hints }) };
}

/**
 * The root device hints that count. None when a volume of software RAID takes the image: the one that is marked, or the
 * first one where the spec has no hints. The disk of a hardware profile would be a member of the RAID.
 */
export function preparedHints(host: WithProfile & Pick<WithVolumes, 'seen'>): RootDeviceHints | undefined {
  const { raid, rootDeviceHints } = host.seen.spec;
  const isOnVolume = hasRootVolume(raid) || (isSoftwareRaid(raid) && rootDeviceHints === undefined);
  return isOnVolume ? undefined : wantedRootDeviceHints(host);
}

/** A memory, or a BareMetalHost that was just read. */
interface WithVolumes {
  readonly seen: Pick<HostMemory['seen'], 'spec'>;
  readonly status: { readonly provisioning: { readonly raid?: Raid | null | undefined } };
}

/** When the spec has no volumes, hardware volumes stay and software volumes are deleted. */
export function wantedRaid({ seen, status }: WithVolumes): Raid | undefined {
  const asked = withoutNulls(seen.spec.raid);
  if (asked !== undefined && Object.keys(asked).length > 0) return asked;
  const recorded = withoutNulls(status.provisioning.raid);
  if (recorded === undefined) return undefined;
  const kept = recorded.hardwareRAIDVolumes ?? [];
  return { ...(kept.length > 0 && { hardwareRAIDVolumes: kept }), softwareRAIDVolumes: [] };
}

/** The volumes without lists that are null: null means absent, but an empty list does not. */
function withoutNulls(raid: Raid | null | undefined): Raid | undefined {
  if (raid == null) return undefined;
  const { hardwareRAIDVolumes: hardware, softwareRAIDVolumes: software } = raid;
  return {
    ...(hardware != null && { hardwareRAIDVolumes: hardware }),
    ...(software != null && { softwareRAIDVolumes: software }),
  };
}

/** The volumes that were requested last. */
export const recordedRaid = ({ status }: HostMemory): Raid | undefined => withoutNulls(status.provisioning.raid);

/**
 * The recorded software volumes, when the spec has no volumes. They stay recorded until their deletion has succeeded.
 * The deploy agent deletes only these, so their deletion can be repeated.
 */
function softwareToDelete(memory: HostMemory): Raid | undefined {
  const software = recordedRaid(memory)?.softwareRAIDVolumes ?? [];
  const wanted = wantedRaid(memory);
  const isWanted = (wanted?.softwareRAIDVolumes ?? []).length > 0 || (wanted?.hardwareRAIDVolumes ?? []).length > 0;
  return software.length > 0 && !isWanted ? { softwareRAIDVolumes: software } : undefined;
}

/** The volumes from which a preparation begins; undefined when the last preparation may have changed them. */
export const raidBefore = (memory: HostMemory, isUnknown: boolean): Raid | undefined =>
  isUnknown ? softwareToDelete(memory) : recordedRaid(memory);

/** True when the status shows that everything in the spec was prepared. */
export function isPrepared(memory: HostMemory): boolean {
  const { targetRaid, rootDeviceHints } = wantedPreparation(memory);
  if (memory.isPreparationUnsure) return false;
  return (
    sameRaid(targetRaid, recordedRaid(memory)) && same(rootDeviceHints, memory.status.provisioning.rootDeviceHints)
  );
}

/** The change from the existing to the desired volumes; undefined when the address of the BMC is invalid. */
export function raidChange(order: PrepareOrder): RaidChange | undefined {
  const parsed = parseBmcAddress(order.bmc.address, { fakeHardware: true });
  if (parsed.kind === 'invalid') return undefined;
  const { raid_interface: schemeInterface } = parsed.address.kind.interfaces;
  return { target: order.targetRaid, actual: order.actualRaid, schemeInterface };
}

/**
 * At the start of a preparation: volumes that it builds are unknown until it succeeds, those that it deletes are there.
 */
export function preparationBegun(memory: HostMemory, order: PrepareOrder): HostMemory {
  if (!order.unprepared) return memory;
  const deleted = softwareToDelete(memory);
  if (deleted === undefined) return markUnsure(prepared(memory, order), order);
  const { raid } = memory.status.provisioning;
  return prepared(memory, { ...order, ...(raid != null && { targetRaid: raid }) });
}

/** The preparation changes volumes, and nobody knows yet how it ends. */
export function markUnsure(memory: HostMemory, order: PrepareOrder): HostMemory {
  const raid = raidChange(order);
  const changesVolumes = raid !== undefined && raidProblem(raid) === undefined && raidSteps(raid).length > 0;
  const isUnsure = order.unprepared && changesVolumes && softwareToDelete(memory) === undefined;
  return isUnsure ? { ...memory, isPreparationUnsure: true } : memory;
}

/** How the last preparation ended is known now. */
export function preparationKnown(memory: HostMemory): HostMemory {
  const { isPreparationUnsure: _, ...known } = memory;
  return known;
}

/** Records the preparation that was requested. */
export function prepared(memory: HostMemory, { targetRaid, rootDeviceHints }: Preparation): HostMemory {
  const { raid: _raid, rootDeviceHints: _hints, ...provisioning } = memory.status.provisioning;
  return withStatus(memory, {
    provisioning: {
      ...provisioning,
      ...(targetRaid !== undefined && { raid: targetRaid }),
      ...(rootDeviceHints !== undefined && { rootDeviceHints }),
    },
  });
}

/** The result of a failed preparation is unknown: all of it is repeated. */
export const unprepared = (memory: HostMemory, { unprepared: asked }: Pick<PrepareOrder, 'unprepared'>): HostMemory =>
  asked ? withStatus(memory, { provisioning: toPrepare(memory) }) : memory;

/** The part of the status that stays recorded when everything must be prepared again. */
export function toPrepare(memory: HostMemory): Provisioning {
  const known = cleared(memory.status.provisioning);
  const deleted = softwareToDelete(memory);
  return deleted === undefined ? known : { ...known, raid: { ...known.raid, ...deleted } };
}

/**
 * Removes what is valid for one preparation only. Hardware volumes stay recorded, so that they are not rebuilt each
 * time.
 */
export function cleared(before: Provisioning): Provisioning {
  const { rootDeviceHints: _hints, raid, ...provisioning } = before;
  if (raid === undefined) return provisioning;
  const { softwareRAIDVolumes: _software, ...kept } = raid;
  return { ...provisioning, raid: kept };
}
