import type { Raid } from '../../../api/baremetalhost/types.ts';
import { hasRootVolume } from '../../ironic/clean/raid.ts';
import type { PrepareOrder } from '../../ironic/orders.ts';
import { same } from '../../same.ts';
import { type HostMemory, withStatus } from '../memory/memory.ts';
import type { HostRecord } from '../report/view.ts';
import { wantedRootDeviceHints } from './wishes.ts';

/** What must hold on the machine before anything is deployed, apart from firmware. */
export type Preparation = Pick<PrepareOrder, 'targetRaid' | 'rootDeviceHints'>;

type Provisioning = HostRecord['provisioning'];

/** What the spec asks for. No hints where a volume says of itself that it takes the image. */
export function wantedPreparation(memory: HostMemory): Preparation {
  const hints = hasRootVolume(memory.seen.spec.raid) ? undefined : wantedRootDeviceHints(memory);
  const raid = wantedRaid(memory);
  return { ...(raid !== undefined && { targetRaid: raid }), ...(hints !== undefined && { rootDeviceHints: hints }) };
}

/** Without a word about volumes those of a controller stay, and those in software go. */
function wantedRaid({ seen, status }: HostMemory): Raid | undefined {
  const asked = withoutNulls(seen.spec.raid);
  if (asked !== undefined && Object.keys(asked).length > 0) return asked;
  const recorded = withoutNulls(status.provisioning.raid);
  if (recorded === undefined) return undefined;
  const kept = recorded.hardwareRAIDVolumes ?? [];
  return { ...(kept.length > 0 && { hardwareRAIDVolumes: kept }), softwareRAIDVolumes: [] };
}

/** Of a list null and absent mean the same, an empty one does not. */
function withoutNulls(raid: Raid | null | undefined): Raid | undefined {
  if (raid == null) return undefined;
  const { hardwareRAIDVolumes: hardware, softwareRAIDVolumes: software } = raid;
  return {
    ...(hardware != null && { hardwareRAIDVolumes: hardware }),
    ...(software != null && { softwareRAIDVolumes: software }),
  };
}

/** The volumes as they were asked for last. */
export const recordedRaid = ({ status }: HostMemory): Raid | undefined => withoutNulls(status.provisioning.raid);

/** True when the status says that all the spec asks for was asked of the machine. */
export function isPrepared(memory: HostMemory): boolean {
  const { targetRaid, rootDeviceHints } = wantedPreparation(memory);
  return same(targetRaid, recordedRaid(memory)) && same(rootDeviceHints, memory.status.provisioning.rootDeviceHints);
}

/** Notes down what was asked of the machine. */
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

/** Nobody knows what a failed preparation has left: it is all to be done anew. */
export const unprepared = (memory: HostMemory, { unprepared: asked }: Pick<PrepareOrder, 'unprepared'>): HostMemory =>
  asked ? withStatus(memory, { provisioning: cleared(memory.status.provisioning) }) : memory;

/** Without what holds for one preparation alone. Volumes of a controller stay noted, so that they are not built each time anew. */
export function cleared(before: Provisioning): Provisioning {
  const { rootDeviceHints: _hints, raid, ...provisioning } = before;
  if (raid === undefined) return provisioning;
  const { softwareRAIDVolumes: _software, ...kept } = raid;
  return { ...provisioning, raid: kept };
}
