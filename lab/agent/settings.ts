import { z } from 'zod';
import { labMachinesSchema } from '../machines/machine.ts';
import { nodeSettingsSchema } from '../node/settings.ts';

export const latencySchema = z.strictObject({ bootMs: z.int().min(0), stepMs: z.int().min(0) });
export type Latency = z.infer<typeof latencySchema>;

export const DEFAULT_LATENCY: Latency = { bootMs: 500, stepMs: 200 };

/** What the agent server is started with: one JSON file. */
export const settingsSchema = z.strictObject({
  port: z.int(),
  /** Folder with a folder per machine. */
  disksDir: z.string(),
  /** Folder in which Ironic publishes the boot media it builds. */
  httpDir: z.string(),
  ironicUrl: z.url(),
  redfishUrl: z.url(),
  bmc: z.strictObject({ username: z.string(), password: z.string() }),
  latency: latencySchema,
  machines: labMachinesSchema,
  /** Given when machines become nodes of the clusters they are deployed for. */
  nodes: nodeSettingsSchema.optional(),
});
export type AgentSettings = z.infer<typeof settingsSchema>;
