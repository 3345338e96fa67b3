import type { HostFacts } from '../machine/choose-host/host-facts.ts';

const PREFIX = 'baremetalhost:///';

/** The host that a providerID or an annotation names; `uid`: only that one, not a later host of this name. */
export interface HostLink {
  readonly namespace: string;
  readonly name: string;
  readonly uid?: string;
}

/** undefined: it names none; a text: why it can't be read. */
export function linkIn(providerID: string): HostLink | string | undefined {
  if (providerID === '') return undefined;
  const wrong = `ProviderID value ${providerID} is not a baremetalhost`;
  if (!providerID.startsWith(PREFIX)) return wrong;
  const [namespace = '', name = '', uid, ...more] = providerID.slice(PREFIX.length).split('/');
  if (namespace === '' || name === '' || more.length > 0) return wrong;
  return { namespace, name, ...(uid && { uid }) };
}

/** `<namespace>/<name>`; anything else names no host. */
export function linkInAnnotation(annotation: string | undefined): HostLink | undefined {
  const [namespace = '', name = '', ...more] = (annotation ?? '').split('/');
  return namespace === '' || name === '' || more.length > 0 ? undefined : { namespace, name };
}

export const providerIdOf = ({ namespace, name, uid }: Pick<HostFacts, 'namespace' | 'name' | 'uid'>): string =>
  `${PREFIX}${namespace}/${name}/${uid}`;
