import type { z } from 'zod';
import { hardwareDetails } from '../../../api/baremetalhost/hardware.ts';
import { ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import { BOUNDS } from '../../../domain/bounds/bounds.ts';
import { boundedJson } from '../../../domain/bounds/json.ts';
import { isMovedAway } from '../../../domain/cluster-api/names.ts';
import { messageOf } from '../../../domain/message-of.ts';
import type { Json } from '../../../kube/merge-patch.ts';
import type { Writable } from '../../../kube/objects/any-object.ts';

/** A host that is paused, or that clusterctl has moved to another cluster, is not changed. */
export const isPausedOrMoved = ({ metadata }: Pick<Writable, 'metadata'>): boolean =>
  metadata.annotations[ANNOTATIONS.paused] !== undefined || isMovedAway(metadata);

/** Problems of one annotation that are told. */
const MOST_PROBLEMS = 10;

/** Hardware details in an annotation, parsed strictly: an unknown key is an error. */
export function parseHardwareDetails(text: string): { readonly details: Json } | { readonly problem: string } {
  try {
    const parsed = hardwareDetails.strict().safeParse(boundedJson(text, BOUNDS.annotation));
    if (parsed.success) return { details: withEmptyParts(parsed.data) };
    const issues = parsed.error.issues.slice(0, MOST_PROBLEMS);
    return { problem: issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ') };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

/** As upstream writes them: vendor, processor and firmware also without a value. */
const withEmptyParts = ({ firmware, ...details }: z.infer<typeof hardwareDetails>): Json => ({
  systemVendor: {},
  cpu: {},
  ...details,
  firmware: { bios: {}, ...firmware },
});
