import { z } from 'zod';

/** What the BMC emulator sends whenever a machine changes. */
export const notificationSchema = z.object({
  uuid: z.string(),
  power_state: z.string(),
  pending_power: z.object({ power_state: z.string() }).nullish(),
  boot_device: z.string().default('Hdd'),
  boot_image: z.record(z.string(), z.tuple([z.string().nullable(), z.boolean(), z.boolean()])).nullish(),
});

/** What a machine does now: nothing, start what is on its disk, or start what is on the inserted medium. */
export type Boot =
  | { readonly from: 'nothing' }
  | { readonly from: 'disk' }
  | {
      readonly from: 'medium';
      readonly file: string;
      /** Somebody has looked at the power since, and has seen it on. */
      readonly isSeen: boolean;
    };

/** A change of power that was asked for counts at once: the emulator applies it only when somebody looks. */
export const bootOf = (system: z.infer<typeof notificationSchema>): Boot => {
  if ((system.pending_power?.power_state ?? system.power_state) !== 'On') return { from: 'nothing' };
  const medium = system.boot_image?.['Cd']?.[0];
  if (system.boot_device !== 'Cd' || !medium) return { from: 'disk' };
  return { from: 'medium', file: medium, isSeen: !system.pending_power };
};
