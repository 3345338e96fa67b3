import { z } from 'zod';
import { labMachinesSchema } from '../machines/machine.ts';
import { nodeSettingsSchema } from '../node/settings.ts';

export const latencySchema = z.strictObject({ bootMs: z.int().min(0), stepMs: z.int().min(0) });
export type Latency = z.infer<typeof latencySchema>;

export const DEFAULT_LATENCY: Latency = { bootMs: 500, stepMs: 200 };

/** Settings of the agent server, in one JSON file. */
export const settingsSchema = z.strictObject({
  port: z.int(),
  /** Folder with a subfolder for each machine. */
  disksDir: z.string(),
  /** Folder in which Ironic publishes the boot media that it builds. */
  httpDir: z.string(),
  ironicUrl: z.url(),
  redfishUrl: z.url(),
  bmc: z.strictObject({ username: z.string(), password: z.string() }),
  latency: latencySchema,
  /** A machine without an image on its disk boots the deploy agent from the network. */
  bootsFromNetwork: z.boolean().default(false),
  machines: labMachinesSchema,
  /** Present when machines join the clusters for which they are deployed. */
  nodes: nodeSettingsSchema.optional(),
});
export type AgentSettings = z.infer<typeof settingsSchema>;
