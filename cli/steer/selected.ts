import { STEERING_ANNOTATIONS } from '../../api/baremetalhost/values.ts';
import { askedBy } from '../../domain/steering/annotations.ts';
import { isHeld } from '../../domain/steering/hold.ts';
import { inWords } from '../../domain/steering/messages.ts';
import type { Kube } from '../../kube/client.ts';
import type { FollowedKind } from '../../kube/kinds.ts';
import type { Metadata } from '../../kube/objects/metadata.ts';
import { listed } from '../listed.ts';
import type { SteerRequest } from './options.ts';

/** The names of all objects that need the message. The objects that do not need it are printed. */
export async function selectedNames(
  kube: Kube,
  kind: FollowedKind,
  { namespace, selector, of }: Pick<SteerRequest, 'namespace' | 'selector' | 'of'>,
  tell: (text: string) => void,
): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const metadata of listed(kube, kind, namespace, { labelSelector: selector })) {
    const why = of === undefined ? undefined : whyNot(metadata, of);
    if (why === undefined) names.push(metadata.name);
    else if (why !== '') tell(`${namespace}/${metadata.name}: ${why}`);
  }
  return names;
}

/** undefined: the host is sent the message; '': there is nothing to say about it. */
function whyNot({ annotations }: Metadata, of: NonNullable<SteerRequest['of']>): string | undefined {
  const quarantine = askedBy(annotations, STEERING_ANNOTATIONS.quarantine);
  if (of === 'hold') return quarantine && `in quarantine already, ${inWords(quarantine)}`;
  if (quarantine === undefined) return '';
  return isHeld(annotations) ? undefined : `stays in quarantine, ${inWords(quarantine)}`;
}
