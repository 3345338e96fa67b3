import { z } from 'zod';
import type { LabInventory } from '../machines/inventory.ts';

/** A software RAID volume of a simulated machine. */
export interface Volume {
  readonly name: string;
  readonly level: string;
  /** GiB, or as large as possible. */
  readonly size: number | 'MAX';
  readonly disks: readonly string[];
}

/** A volume as Ironic stores its RAID configuration. */
const target = z.looseObject({
  logical_disks: z
    .array(
      z.looseObject({
        raid_level: z.string(),
        size_gb: z.union([z.number(), z.literal('MAX')]),
        controller: z.string().optional(),
        physical_disks: z.array(z.record(z.string(), z.string())).optional(),
      }),
    )
    .default([]),
});

type Disk = LabInventory['disks'][number];

/** Builds the volumes of a node's `target_raid_config` from the disks of its machine, or returns the error. */
export function buildVolumes(wanted: unknown, disks: readonly Disk[], existing: readonly Volume[]): readonly Volume[] {
  const { logical_disks: volumes } = target.parse(wanted);
  if (volumes.length === 0) throw new Error('No target_raid_config found');
  if (existing.length > 0) throw new Error(`There are volumes already: ${existing.map(({ name }) => name).join(', ')}`);
  return volumes.map((volume, index) => {
    if (volume.controller !== 'software') throw new Error(`Software RAID has no controller ${volume.controller}`);
    const members =
      volume.physical_disks === undefined
        ? disks.map(({ name }) => name)
        : volume.physical_disks.map((hints) => nameOf(hints, disks));
    if (new Set(members).size < 2) throw new Error(`Software RAID needs two disks, found: ${members.join(', ')}`);
    return { name: `/dev/md${index}`, level: volume.raid_level, size: volume.size_gb, disks: members };
  });
}

function nameOf(hints: Readonly<Record<string, string>>, disks: readonly Disk[]): string {
  const found = disks.find((disk) => Object.entries(hints).every(([key, hint]) => fits(disk, key, hint)));
  if (found === undefined) throw new Error(`No disk fits the hints ${JSON.stringify(hints)}`);
  return found.name;
}

function fits(disk: Disk, key: string, hint: string): boolean {
  const [, operator = '', wanted = hint] = /^(s==|<in>|>=) (.*)$/.exec(hint) ?? [];
  if (key === 'size') return disk.bytes / 1024 ** 3 >= Number(wanted);
  const value = String((disk as Readonly<Record<string, unknown>>)[key]);
  return operator === '<in>' ? value.includes(wanted) : value === wanted;
}
