import { z } from 'zod';
import { hardwareDetails } from '../baremetalhost/hardware.ts';

export const hardwareDataSpec = z
  .object({ hardware: hardwareDetails.describe('Hardware that inspection found.').optional() })
  .describe('Known hardware of the BareMetalHost of the same name.');
