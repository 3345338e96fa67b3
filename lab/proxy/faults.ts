import { z } from 'zod';

/** A fault for matching requests; removed after `times` matches. */
export const faultSchema = z.strictObject({
  method: z.string().toUpperCase().optional(),
  /** A regular expression for path and query. */
  path: z.string().optional(),
  times: z.int().positive().default(1),
  delayMs: z.int().positive().optional(),
  /** The request waits until all faults are forgotten. */
  hold: z.boolean().default(false),
  /** The status that is sent instead of Ironic's answer. */
  status: z.int().min(400).max(599).optional(),
  message: z.string().default('injected by the proxy of the lab'),
  /** The answer with `status` is a page in HTML, as a load balancer sends it, instead of an error of Ironic. */
  page: z.boolean().default(false),
  /** `before`: Ironic never sees the request. `after`: Ironic handles it, and its answer is lost. */
  drop: z.enum(['before', 'after']).optional(),
});
export type Fault = z.infer<typeof faultSchema>;

export interface Faults {
  add(fault: Fault): void;
  clear(): void;
  list(): readonly Fault[];
  /** The first matching fault; it counts as used. */
  take(method: string, path: string): Fault | undefined;
}

export const createFaults = (): Faults => {
  let faults: readonly Fault[] = [];
  const matches = (fault: Fault, method: string, path: string): boolean =>
    (fault.method === undefined || fault.method === method) &&
    (fault.path === undefined || new RegExp(fault.path).test(path));
  return {
    add: (fault) => {
      faults = [...faults, fault];
    },
    clear: () => {
      faults = [];
    },
    list: () => faults,
    take: (method, path) => {
      const found = faults.find((fault) => matches(fault, method, path));
      if (found === undefined) return undefined;
      faults = faults.flatMap((fault) => {
        if (fault !== found) return [fault];
        return fault.times > 1 ? [{ ...fault, times: fault.times - 1 }] : [];
      });
      return found;
    },
  };
};
