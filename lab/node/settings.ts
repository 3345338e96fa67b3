import { z } from 'zod';

/** Settings with which machines become Nodes: real programs, and where control planes keep their state. */
export const nodeSettingsSchema = z.strictObject({
  kubeadm: z.string(),
  kubeApiserver: z.string(),
  kubeControllerManager: z.string(),
  /** The lab's own etcd, for control planes that would run one themselves. */
  etcd: z.strictObject({ url: z.url(), caFile: z.string(), certFile: z.string(), keyFile: z.string() }),
  logsDir: z.string(),
});
export type NodeSettings = z.infer<typeof nodeSettingsSchema>;
