import { structural } from '../structural.ts';
import { hardwareDetails } from './hardware.ts';
import { bareMetalHostStatus } from './status.ts';

/** The schemas of the JSON in annotations of a BareMetalHost. */
export const ANNOTATION_SCHEMAS = {
  status: structural(bareMetalHostStatus),
  hardwareDetails: structural(hardwareDetails),
};
