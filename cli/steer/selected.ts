import { STEERING_ANNOTATIONS } from '../../api/baremetalhost/values.ts';
import { askedBy } from '../../domain/steering/annotations.ts';
import { isHeld } from '../../domain/steering/hold.ts';
import { inWords } from '../../domain/steering/messages.ts';
import { type Kube, KubeError } from '../../kube/client.ts';
import { ifInstalled } from '../../kube/installed.ts';
import { type FollowedKind, MACHINE_API_MACHINES } from '../../kube/kinds.ts';
import type { Metadata } from '../../kube/objects/metadata.ts';
import { listed } from '../listed.ts';
import { STEERED_KINDS, type SteerRequest } from './options.ts';

/** An object that is asked. */
export interface SteeredObject {
  readonly kind: FollowedKind;
  readonly name: string;
}

export interface Selected {
  readonly targets: readonly SteeredObject[];
  /** The selector fits at least one object, which may not need the message. */
  readonly isAny: boolean;
  /** Objects of a kind could not be listed, which is printed. */
  readonly isPartial: boolean;
}

/** All selected objects that need the message; machines are those of all APIs whose kinds are installed. */
export async function select(
  request: Pick<SteerRequest, 'kind' | 'namespace' | 'selector' | 'of'>,
  kube: Kube,
  tell: (text: string) => void,
): Promise<Selected> {
  const of = (kind: FollowedKind): ReturnType<typeof selectedNames> => selectedNames(kube, kind, request, tell);
  const targets: SteeredObject[] = [];
  let [isAny, isPartial] = [false, false];
  for (const kind of request.kind === 'host'
    ? [STEERED_KINDS.host]
    : [STEERED_KINDS.machine, ...MACHINE_API_MACHINES]) {
    try {
      // eslint-disable-next-line no-await-in-loop -- a page of one kind after the other
      const selected = await (request.kind === 'host' ? of(kind) : ifInstalled(kube, kind, of(kind)));
      isAny ||= selected?.isAny === true;
      targets.push(...(selected?.names ?? []).map((name) => ({ kind, name })));
    } catch (error) {
      if (!(error instanceof KubeError) || error.status === 0) throw error;
      tell(`temper: the objects of kind ${kind.kind} in namespace ${request.namespace} are not asked: ${error.words}`);
      isPartial = true;
    }
  }
  return { targets, isAny, isPartial };
}

/** All objects of the kind that need the message. Those that do not need it are printed. */
export async function selectedNames(
  kube: Kube,
  kind: FollowedKind,
  { namespace, selector, of }: Pick<SteerRequest, 'namespace' | 'selector' | 'of'>,
  tell: (text: string) => void,
): Promise<{ readonly names: readonly string[]; readonly isAny: boolean }> {
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
