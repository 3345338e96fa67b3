import { z } from 'zod';
import { once } from '../once.ts';
import { metadata } from './metadata.ts';

const hardwareData = z.object({
  metadata,
  spec: z.object({ hardware: z.record(z.string(), z.unknown()).optional() }).catch({}),
});
export type HardwareDataRead = z.infer<typeof hardwareData>;

export const readHardwareData = once((object): HardwareDataRead => hardwareData.parse(object));

const architecture = z.object({ cpu: z.object({ arch: z.string() }) }).catch({ cpu: { arch: '' } });

/** CPU architecture, '' when unknown. */
export const architectureOf = (found: HardwareDataRead | undefined): string =>
  architecture.parse(found?.spec.hardware).cpu.arch;
