/** The content of the lab's boot ISO: enough for a simulated BMC to insert it and for its machine to recognise it. */
export const BOOT_ISO = Buffer.from('temper lab: boots the simulated deploy agent\n'.padEnd(2048, '.'));

const MARK = BOOT_ISO.subarray(0, 44);

export interface Ramdisk {
  /** The agent's token, when Ironic built the medium; otherwise the first lookup returns one. */
  readonly token?: string;
  /** Purpose of the boot, `discovery` from the network; unknown for a medium that Ironic did not build. */
  readonly purpose?: 'inspection' | 'work' | 'discovery';
}

/**
 * The agent on a medium, if it has one: the lab's ISO has, and so does an ISO that Ironic built from kernel and
 * ramdisk.
 */
export const ramdiskOn = (medium: Buffer): Ramdisk | undefined => {
  if (medium.includes(MARK)) return {};
  const token = /ipa-agent-token=([\w-]+)/.exec(medium.toString('latin1'))?.[1];
  if (token === undefined) return undefined;
  return { token, purpose: medium.includes('ipa-inspection-callback-url=') ? 'inspection' : 'work' };
};
