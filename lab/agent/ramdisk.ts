/** What the lab's own boot ISO consists of: enough for a made-up BMC to insert, and for its machine to know it. */
export const BOOT_ISO = Buffer.from('temper lab: boots the simulated deploy agent\n'.padEnd(2048, '.'));

const MARK = BOOT_ISO.subarray(0, 44);

export interface Ramdisk {
  /** The agent's token, when Ironic built the medium; else the first lookup gives one. */
  readonly token?: string;
  /** Whether it is for inspection; a medium which Ironic did not build cannot tell. */
  readonly purpose?: 'inspection' | 'work';
}

/** Tells whether a medium boots the agent: the lab's ISO does, and so does one Ironic made of kernel and ramdisk. */
export const ramdiskOn = (medium: Buffer): Ramdisk | undefined => {
  if (medium.includes(MARK)) return {};
  const token = /ipa-agent-token=([\w-]+)/.exec(medium.toString('latin1'))?.[1];
  if (token === undefined) return undefined;
  return { token, purpose: medium.includes('ipa-inspection-callback-url=') ? 'inspection' : 'work' };
};
