import { z } from 'zod';
import type { Kube } from '../../../../kube/client.ts';
import { configMapPath } from '../../../../kube/paths.ts';
import { NAMESPACE } from '../place/namespace.ts';

/** The fixture's machines are ConfigMaps that name their hosts. */
const event = z.object({
  type: z.string(),
  object: z.object({
    metadata: z.object({ ownerReferences: z.array(z.object({ name: z.string() })).default([]) }),
    data: z.looseObject({ state: z.string().optional(), since: z.string().optional() }).default({}),
  }),
});

export interface MachineRecord {
  /**
   * The states that the machine of a host entered, as far as they were written: a state that follows by itself is
   * written with the next request.
   */
  of(host: string): readonly string[];
  close(): void;
}

/** Watches the machines of the file's namespace from outside. */
export function recordMachines(kube: Kube): MachineRecord {
  const ending = new AbortController();
  const entered = new Map<string, { readonly state: string; readonly since: string | undefined }[]>();
  const follow = async (): Promise<void> => {
    const query = { watch: true, labelSelector: 'temper/fixture=machine' };
    const path = configMapPath({ namespace: NAMESPACE });
    for await (const line of kube.lines({ path, query, signal: ending.signal })) {
      const { object } = event.parse(JSON.parse(line));
      const { state, since } = object.data;
      for (const { name } of object.metadata.ownerReferences) {
        const all = entered.get(name) ?? [];
        entered.set(name, all);
        const last = all.at(-1);
        if (state !== undefined && (last?.state !== state || last.since !== since)) all.push({ state, since });
      }
    }
  };
  void follow().catch(() => undefined);
  return { of: (host) => (entered.get(host) ?? []).map(({ state }) => state), close: () => ending.abort() };
}
