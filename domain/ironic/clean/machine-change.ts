import { type CleanStep, type RaidChange, raidSteps } from './raid.ts';

/** BIOS settings to change, by name. Numbers stay numbers. */
export type BiosSettings = Readonly<Record<string, string | number>>;

export interface FirmwareUpdate {
  readonly component: string;
  readonly url: string;
}

/** Everything that manual cleaning can change on a server. */
export interface MachineChange {
  readonly raid: RaidChange;
  readonly biosSettings?: BiosSettings;
  readonly firmwareUpdates?: readonly FirmwareUpdate[];
}

/** The order matters: RAID first, then BIOS, then firmware. Empty when there is nothing to do. */
export const cleanSteps = ({ raid, ...updates }: MachineChange): readonly CleanStep[] => [
  ...raidSteps(raid),
  ...updateSteps(updates),
];

/** Changes that are possible while the server is in service. */
export function updateSteps({
  biosSettings = {},
  firmwareUpdates = [],
}: Omit<MachineChange, 'raid'>): readonly CleanStep[] {
  const settings = Object.entries(biosSettings).map(([name, value]) => ({ name, value }));
  const updates = firmwareUpdates.map(({ component, url }) => ({ component, url }));
  return [
    ...(settings.length === 0 ? [] : [{ interface: 'bios', step: 'apply_configuration', args: { settings } } as const]),
    ...(updates.length === 0 ? [] : [{ interface: 'firmware', step: 'update', args: { settings: updates } } as const]),
  ];
}
