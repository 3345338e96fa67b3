import { z } from 'zod';
import type { TestLab } from './lab.ts';

const summary = z.object({
  total: z.number(),
  provisions: z.record(z.string(), z.record(z.string(), z.number())),
  kinds: z.partialRecord(z.string(), z.number()),
});

const control = (lab: TestLab, path: string, init?: RequestInit): Promise<Response> =>
  fetch(`${lab.endpoints.proxyControl}${path}`, init);

/** What Ironic was asked, counted by the proxy in front of it. */
export const recorded = async (lab: TestLab): Promise<z.infer<typeof summary>> =>
  summary.parse(await (await control(lab, '/_recorded/summary')).json());

export const forgetRecorded = (lab: TestLab): Promise<Response> => control(lab, '/_recorded', { method: 'DELETE' });

/** How often Ironic accepted to deploy each node, by UUID. */
export const deploysOf = async (lab: TestLab): Promise<Record<string, number>> =>
  (await recorded(lab)).provisions['active'] ?? {};
