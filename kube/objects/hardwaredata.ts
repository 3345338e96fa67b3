import { z } from 'zod';
import { lenientText, orEmpty } from '../../api/meta/lenient.ts';
import { once } from '../once.ts';
import { readObject } from './any-object.ts';
import type { Metadata } from './metadata.ts';

const parts = orEmpty({
  cpu: orEmpty({ arch: lenientText }),
  nics: z.array(orEmpty({ mac: lenientText })).catch([]),
  systemVendor: orEmpty({ serialNumber: lenientText }),
});
const hardwareOf = z.object({ hardware: z.record(z.string(), z.unknown()).optional() }).catch({});

export interface HardwareDataRead {
  readonly metadata: Metadata;
  readonly hardware: Readonly<Record<string, unknown>> | undefined;
  /** CPU architecture, '' when unknown. */
  readonly architecture: string;
  /** MAC addresses of the network interfaces; '' where it is not known. */
  readonly macs: readonly string[];
  /** '' when unknown. */
  readonly serialNumber: string;
}

export const readHardwareData = once((object): HardwareDataRead => {
  const { metadata, spec } = readObject(object);
  const { hardware } = hardwareOf.parse(spec);
  const { cpu, nics, systemVendor } = parts.parse(hardware);
  const macs = nics.map(({ mac }) => mac);
  return { metadata, hardware, architecture: cpu.arch, macs, serialNumber: systemVendor.serialNumber };
});
