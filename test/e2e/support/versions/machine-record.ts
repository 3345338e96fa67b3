import { z } from 'zod';
import type { Kube } from '../../../../kube/client.ts';
import { configMapPath } from '../../../../kube/paths.ts';
import { followVersions, type Version } from '../follow-versions.ts';
import { NAMESPACE } from '../place/namespace.ts';

/** The fixture's machines are ConfigMaps that name their hosts. */
const machine = z.object({
  metadata: z.object({ ownerReferences: z.array(z.object({ name: z.string() })).default([]) }),
  data: z.looseObject({ state: z.string().optional(), since: z.string().optional() }).default({}),
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
  const record = ({ object }: Version): void => {
    const { metadata, data } = machine.parse(object);
    const { state, since } = data;
    for (const { name } of metadata.ownerReferences) {
      const all = entered.get(name) ?? [];
      entered.set(name, all);
      const last = all.at(-1);
      if (state !== undefined && (last?.state !== state || last.since !== since)) all.push({ state, since });
    }
  };
  const query = { labelSelector: 'temper/fixture=machine' };
  void followVersions(kube, { path: configMapPath({ namespace: NAMESPACE }), query }, record, ending.signal);
  return { of: (host) => (entered.get(host) ?? []).map(({ state }) => state), close: () => ending.abort() };
}
