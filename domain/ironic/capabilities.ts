import type { BootMode } from '../../api/baremetalhost/values.ts';

const OURS = ['boot_mode', 'secure_boot'];

/** `properties.capabilities` with our items at the end; other items are kept. */
export function capabilities(current: unknown, bootMode: BootMode): string {
  const others = (typeof current === 'string' ? current : '')
    .split(',')
    .filter((item) => item !== '' && !OURS.includes(item.split(':')[0] ?? ''));
  return [...others, bootModeItems(bootMode)].join(',');
}

function bootModeItems(bootMode: BootMode): string {
  switch (bootMode) {
    case 'UEFI':
      return 'boot_mode:uefi';
    case 'UEFISecureBoot':
      return 'boot_mode:uefi,secure_boot:true';
    case 'legacy':
      return 'boot_mode:bios';
  }
}

/** `instance_info.capabilities`: valid for the deployed system only. */
export const instanceCapabilities = (bootMode: BootMode): Readonly<Record<string, string>> =>
  bootMode === 'UEFISecureBoot' ? { secure_boot: 'true' } : {};
