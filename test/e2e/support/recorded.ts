import { z } from 'zod';
import type { Fault } from '../../../lab/proxy/faults.ts';
import type { TestLab } from './lab.ts';

const summary = z.object({
  total: z.number(),
  provisions: z.record(z.string(), z.record(z.string(), z.number())),
  kinds: z.partialRecord(z.string(), z.number()),
});

const control = (lab: TestLab, path: string, init?: RequestInit): Promise<Response> =>
  fetch(`${lab.endpoints.proxyControl}${path}`, init);

/** The requests to Ironic, counted by the proxy. */
export const recorded = async (lab: TestLab): Promise<z.infer<typeof summary>> =>
  summary.parse(await (await control(lab, '/_recorded/summary')).json());

const requests = z.array(
  z.looseObject({ at: z.string(), kind: z.string(), node: z.string().optional(), target: z.string().optional() }),
);

/** Each request with the time at which it reached the proxy. */
export const requestsRecorded = async (lab: TestLab): Promise<z.infer<typeof requests>> =>
  requests.parse(await (await control(lab, '/_recorded')).json());

/** The time of the first request to change the node since then; ms, infinite without one. */
export const changedAt = async (lab: TestLab, node: string, since: number): Promise<number> => {
  const ofNode = (await requestsRecorded(lab)).filter((one) => one.kind === 'change node' && one.node === node);
  return Math.min(...ofNode.map(({ at }) => Date.parse(at)).filter((at) => at >= since));
};

/** What Ironic was asked to do with the power of the node, in this order: `power on`, `soft power off`. */
export const powerAskedOf = async (lab: TestLab, node: string): Promise<readonly (string | undefined)[]> =>
  (await requestsRecorded(lab)).filter((one) => one.kind === 'power' && one.node === node).map(({ target }) => target);

export const forgetRecorded = (lab: TestLab): Promise<Response> => control(lab, '/_recorded', { method: 'DELETE' });

/** How often Ironic accepted a deployment, by UUID of the node. */
export const deploysOf = async (lab: TestLab): Promise<Record<string, number>> =>
  (await recorded(lab)).provisions['active'] ?? {};

/** The proxy delays, refuses or loses the next matching request. */
export const addFault = (lab: TestLab, fault: Partial<Fault>): Promise<Response> =>
  control(lab, '/_faults', { method: 'POST', body: JSON.stringify(fault) });

export const forgetFaults = (lab: TestLab): Promise<Response> => control(lab, '/_faults', { method: 'DELETE' });

/** Faults for which not all requests have come yet, with how often each is still to happen. */
export const faultsNow = async (lab: TestLab): Promise<readonly { readonly times: number }[]> =>
  z.array(z.looseObject({ times: z.number() })).parse(await (await control(lab, '/_faults')).json());

export const faultsLeft = async (lab: TestLab): Promise<number> => (await faultsNow(lab)).length;
