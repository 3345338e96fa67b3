import { z } from 'zod';
import { lenientText, orEmpty } from '../../api/meta/lenient.ts';
import { metadata } from './metadata.ts';

const node = z.object({ metadata, spec: orEmpty(z.object({ providerID: lenientText })) });
export type NodeRead = z.infer<typeof node>;

/** A Node of a workload cluster. */
export const readNode = (object: unknown): NodeRead => node.parse(object);

const sickNode = z.object({
  metadata,
  spec: orEmpty(z.object({ taints: z.array(z.looseObject({ key: z.string(), effect: lenientText })).default([]) })),
});

/** The fields of a Node that its remediation uses. */
export const readSickNode = (object: unknown): z.infer<typeof sickNode> => sickNode.parse(object);
