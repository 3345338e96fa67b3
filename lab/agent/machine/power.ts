import { z } from 'zod';

/** The emulator's notification of a change of a machine. */
export const notificationSchema = z.object({
  uuid: z.string(),
  power_state: z.string(),
  pending_power: z.object({ power_state: z.string() }).nullish(),
  boot_device: z.string().default('Hdd'),
  boot_image: z.record(z.string(), z.tuple([z.string().nullable(), z.boolean(), z.boolean()])).nullish(),
});

/** What a machine boots: nothing, the system on its disk, or the inserted medium. */
export type Boot =
  | { readonly from: 'nothing' }
  | { readonly from: 'disk' }
  | {
      readonly from: 'medium';
      readonly file: string;
      /** Somebody has read the power state as on since the machine was powered on. */
      readonly isSeen: boolean;
    };

/** A requested change of power counts at once, although the emulator applies it only when the power is next read. */
export const bootOf = (system: z.infer<typeof notificationSchema>): Boot => {
  if ((system.pending_power?.power_state ?? system.power_state) !== 'On') return { from: 'nothing' };
  const medium = system.boot_image?.['Cd']?.[0];
  if (system.boot_device !== 'Cd' || !medium) return { from: 'disk' };
  return { from: 'medium', file: medium, isSeen: !system.pending_power };
};
