import { z } from 'zod';
import { hardwareDetails } from '../api/baremetalhost/hardware.ts';
import { ANNOTATIONS } from '../api/baremetalhost/values.ts';
import { condition } from '../api/meta/conditions.ts';
import { objectMeta } from '../api/meta/object-meta.ts';
import { objectReference } from '../api/meta/references.ts';
import { isMovedAway } from '../domain/cluster-api/names.ts';
import type { Json } from '../kube/merge-patch.ts';

/**
 * A BareMetalHost as far as publishing looks at it. Lenient on purpose: what somebody else broke in a spec or a status
 * must not keep the status from being written.
 */
const publishedHost = z.object({
  metadata: objectMeta.extend({ uid: z.string(), resourceVersion: z.string(), generation: z.number() }),
  spec: z
    .object({
      architecture: z.string().optional().catch(undefined),
      inspectionMode: z.string().optional().catch(undefined),
      consumerRef: objectReference.optional().catch(undefined),
    })
    .catch({}),
  status: z.record(z.string(), z.unknown()).catch({}),
});
export type PublishedHost = z.infer<typeof publishedHost>;

/** Nothing is changed about a host that somebody has paused, or that clusterctl has moved to another cluster. */
export const isPaused = ({ metadata }: PublishedHost): boolean =>
  metadata.annotations?.[ANNOTATIONS.paused] !== undefined || isMovedAway(metadata);

export const readHost = (object: unknown): PublishedHost => publishedHost.parse(object);

export const readConditions = (status: Json): z.infer<typeof condition>[] =>
  z.array(condition).catch([]).parse(status['conditions']);

const storedHardware = z.object({
  metadata: objectMeta.extend({ resourceVersion: z.string() }),
  spec: z.object({ hardware: z.record(z.string(), z.unknown()).optional() }).catch({}),
});
export type StoredHardware = z.infer<typeof storedHardware>;

export const readStoredHardware = (object: unknown): StoredHardware | undefined =>
  object === undefined ? undefined : storedHardware.parse(object);

/** Details given by annotation, checked strictly: a key that is not known is an error. */
export function parseHardwareDetails(text: string): { readonly details: Json } | { readonly problem: string } {
  try {
    const parsed = hardwareDetails.strict().safeParse(JSON.parse(text));
    if (parsed.success) return { details: parsed.data };
    return { problem: parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ') };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
