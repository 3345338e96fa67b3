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

const requests = z.array(z.looseObject({ at: z.string(), kind: z.string(), node: z.string().optional() }));

/** Each request, with the moment in which it came to the proxy. */
export const requestsRecorded = async (lab: TestLab): Promise<z.infer<typeof requests>> =>
  requests.parse(await (await control(lab, '/_recorded')).json());

/** When Ironic was asked for the first time since then to change the node; ms, infinite when it never was. */
export const changedAt = async (lab: TestLab, node: string, since: number): Promise<number> => {
  const ofNode = (await requestsRecorded(lab)).filter((one) => one.kind === 'change node' && one.node === node);
  return Math.min(...ofNode.map(({ at }) => Date.parse(at)).filter((at) => at >= since));
};

export const forgetRecorded = (lab: TestLab): Promise<Response> => control(lab, '/_recorded', { method: 'DELETE' });

/** How often Ironic accepted to deploy each node, by UUID. */
export const deploysOf = async (lab: TestLab): Promise<Record<string, number>> =>
  (await recorded(lab)).provisions['active'] ?? {};
