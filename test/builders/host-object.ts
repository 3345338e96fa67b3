import type { BareMetalHost } from '../../api/baremetalhost/types.ts';
import type { HostMemory } from '../../domain/host/memory/memory.ts';
import { show } from '../../domain/host/report/show.ts';

/** The object of a host that shows what its workflow has published last. */
export function objectOf(memory: HostMemory): BareMetalHost {
  const { seen } = memory;
  const { namespace, name, uid, annotations, deletionTimestamp, spec } = seen;
  return {
    apiVersion: 'metal3.io/v1alpha1',
    kind: 'BareMetalHost',
    metadata: { namespace, name, uid, annotations, ...(deletionTimestamp !== undefined && { deletionTimestamp }) },
    spec,
    status: show(memory).status as BareMetalHost['status'],
  };
}
