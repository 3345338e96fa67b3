import { type AnyLab, kubectl } from '../../e2e/support/hosts.ts';

/** They come and go by themselves. */
const RESTLESS = /^(?:events|leases|endpoints|endpointslices)(?:\.|$)/;

/** All objects of a cluster, as `kind/name`. */
export async function everything(lab: AnyLab): Promise<readonly string[]> {
  const kinds = linesOf(await kubectl(lab, ['api-resources', '--verbs=list,delete', '--output=name']));
  const lasting = kinds.filter((kind) => !RESTLESS.test(kind));
  return linesOf(await kubectl(lab, ['get', lasting.join(','), '--all-namespaces', '--output=name']));
}

const linesOf = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');
