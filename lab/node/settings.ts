import { z } from 'zod';

/** What machines need to become nodes: programs that really run, and where control planes keep their state. */
export const nodeSettingsSchema = z.strictObject({
  kubeadm: z.string(),
  kubeApiserver: z.string(),
  kubeControllerManager: z.string(),
  /** The lab's own etcd, for control planes that would run one. */
  etcd: z.strictObject({ url: z.url(), caFile: z.string(), certFile: z.string(), keyFile: z.string() }),
  logsDir: z.string(),
});
export type NodeSettings = z.infer<typeof nodeSettingsSchema>;
