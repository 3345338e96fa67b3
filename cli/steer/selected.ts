import { STEERING_ANNOTATIONS } from '../../api/baremetalhost/values.ts';
import { askedBy } from '../../domain/steering/annotations.ts';
import { isHeld } from '../../domain/steering/hold.ts';
import { inWords } from '../../domain/steering/messages.ts';
import type { Kube } from '../../kube/client.ts';
import type { FollowedKind } from '../../kube/kinds.ts';
import type { Metadata } from '../../kube/objects/metadata.ts';
import { listed } from '../listed.ts';
import type { SteerRequest } from './options.ts';

/** `isAny`: the selector fits at least one object, which may not need the message. */
export interface Selected {
  readonly names: readonly string[];
  readonly isAny: boolean;
}

/** All objects that need the message. The objects that do not need it are printed. */
export async function selectedNames(
  kube: Kube,
  kind: FollowedKind,
  { namespace, selector, of }: Pick<SteerRequest, 'namespace' | 'selector' | 'of'>,
  tell: (text: string) => void,
): Promise<Selected> {
  const names: string[] = [];
  let isAny = false;
  for await (const metadata of listed(kube, kind, namespace, { labelSelector: selector })) {
    isAny = true;
    const why = of === undefined ? undefined : whyNot(metadata, of);
    if (why === undefined) names.push(metadata.name);
    else if (why !== '') tell(`${namespace}/${metadata.name}: ${why}`);
  }
  return { names, isAny };
}

/** Why a host gets no message. undefined: it gets one; '': it gets none, and nothing is printed about it. */
function whyNot({ annotations }: Metadata, of: NonNullable<SteerRequest['of']>): string | undefined {
  const quarantine = askedBy(annotations, STEERING_ANNOTATIONS.quarantine);
  if (of === 'hold') return quarantine && `in quarantine already, ${inWords(quarantine)}`;
  if (quarantine === undefined) return '';
  return isHeld(annotations) ? undefined : `stays in quarantine, ${inWords(quarantine)}`;
}
