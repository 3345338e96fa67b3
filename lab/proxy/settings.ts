import { z } from 'zod';

export const proxySettingsSchema = z.strictObject({
  port: z.int(),
  upstream: z.url(),
  /** Requests as JSON lines. */
  logFile: z.string(),
  tls: z.strictObject({ certFile: z.string(), keyFile: z.string() }).optional(),
});
export type ProxySettings = z.infer<typeof proxySettingsSchema>;
