import { z } from 'zod';
import { hardwareDetails } from '../baremetalhost/hardware.ts';
import { namesOf, v1alpha1Resource } from '../custom-resource.ts';
import { column } from '../meta/columns.ts';
import { hardwareData } from './kind.ts';

const hardwareDataSpec = z
  .object({ hardware: hardwareDetails.describe('Hardware that inspection found.').optional() })
  .describe('Known hardware of the BareMetalHost of the same name.');

export const hardwareDataResource = v1alpha1Resource({
  ...namesOf(hardwareData),
  shortNames: ['hd'],
  description: 'Hardware that inspection found in the BareMetalHost of the same name.',
  columns: [column('Age', '.metadata.creationTimestamp', 'Time since the hardware was inspected', { type: 'date' })],
  spec: hardwareDataSpec,
});
