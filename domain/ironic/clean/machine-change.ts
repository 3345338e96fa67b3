import { type RaidChange, raidSteps } from './raid.ts';
import type { CleanStep } from './step.ts';

/** BIOS settings that are to be others than they are, by name. Numbers stay numbers. */
export type BiosSettings = Readonly<Record<string, string | number>>;

export interface FirmwareUpdate {
  readonly component: string;
  readonly url: string;
}

/** All that manual cleaning can change on a machine. */
export interface MachineChange {
  readonly raid: RaidChange;
  readonly biosSettings?: BiosSettings;
  readonly firmwareUpdates?: readonly FirmwareUpdate[];
}

/** The order counts: volumes first, then the BIOS, then firmware. Empty when there is nothing to do. */
export const cleanSteps = ({ raid, biosSettings, firmwareUpdates }: MachineChange): readonly CleanStep[] => [
  ...raidSteps(raid),
  ...updateSteps({ biosSettings, firmwareUpdates }),
];

/** What can also be done to a machine in service. */
export function updateSteps({
  biosSettings = {},
  firmwareUpdates = [],
}: {
  readonly biosSettings: BiosSettings | undefined;
  readonly firmwareUpdates: readonly FirmwareUpdate[] | undefined;
}): readonly CleanStep[] {
  const settings = Object.entries(biosSettings).map(([name, value]) => ({ name, value }));
  const updates = firmwareUpdates.map(({ component, url }) => ({ component, url }));
  return [
    ...(settings.length === 0 ? [] : [{ interface: 'bios', step: 'apply_configuration', args: { settings } } as const]),
    ...(updates.length === 0 ? [] : [{ interface: 'firmware', step: 'update', args: { settings: updates } } as const]),
  ];
}
