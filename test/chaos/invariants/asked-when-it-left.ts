import { UNDEPLOYING_ANNOTATION } from '../../../api/baremetalhost/values.ts';
import { urlDigest } from '../../../lab/proxy/told.ts';
import type { Left, Marked } from '../happenings.ts';
import { clock, type Invariant } from './invariant.ts';

type Judged = 'active' | 'deleted' | 'power off';

/** The requests that are judged, by Ironic's names. */
const JUDGED: Readonly<Record<string, Judged>> = {
  active: 'active',
  rebuild: 'active',
  deleted: 'deleted',
  'power off': 'power off',
  'soft power off': 'power off',
};

/** A mark, and whether it can be judged by its object. */
type Found = Marked & { readonly isFirst: boolean };

/**
 * Each deployment, erasure and power-off that reaches Ironic was written to its host before, in a write of its own, and
 * the host as it was written then asked for it. Both are counted outside our code: by the proxy, and in the audit log.
 */
export function askedWhenItLeft(): Invariant {
  /** Marks without a request yet, by node, the latest last. */
  const marks = new Map<string, readonly Found[]>();
  let apiServerEnded = Number.NEGATIVE_INFINITY;
  return {
    name: 'what reaches Ironic was asked for when it left',
    take(happening) {
      const { at } = happening;
      if (happening.kind === 'journal') {
        const { entry } = happening;
        if (entry.kind === 'gap' && entry.of !== 'ironic') apiServerEnded = at;
        return [];
      }
      if (happening.kind === 'marked') {
        const { marked } = happening;
        // An API server that ended may have lost the line of the write that set the mark.
        const isFirst = !(Date.parse(marked.mark.at) <= apiServerEnded && apiServerEnded <= at);
        const { nodeId } = marked.mark;
        marks.set(nodeId, [...(marks.get(nodeId) ?? []), { ...marked, isFirst }]);
        return [];
      }
      if (happening.kind !== 'left') return [];
      const { left } = happening;
      const request = JUDGED[left.target];
      if (request === undefined) return [];
      const ofNode = marks.get(left.node) ?? [];
      const found = ofNode.findLast(({ mark }) => mark.request === request);
      const what = `${left.host} was told '${left.target}' at ${clock(at)}`;
      if (found === undefined)
        return at - apiServerEnded < LINES_LOST_MS ? [] : [`${what}, and no write of its object says so`];
      // Each request has a mark of its own, and an older one of the kind was never sent.
      const older = ofNode.indexOf(found);
      marks.set(
        left.node,
        ofNode.filter((one, index) => one.mark.request !== request || index > older),
      );
      const problem = found.isFirst ? notAsked(request, left, found.object) : undefined;
      return problem === undefined ? [] : [`${what}, and its object, marked ${found.mark.at}, ${problem}`];
    },
  };
}

/** The longest time between the write of a mark and the arrival of its request, through stalled connections. */
const LINES_LOST_MS = 120_000;

/** Why the object did not ask for the request. */
function notAsked(
  request: Judged,
  { node, image }: Left,
  { metadata, spec, status }: Found['object'],
): string | undefined {
  const isLeaving = metadata.deletionTimestamp !== undefined;
  const wanted = spec?.image?.url ?? '';
  switch (request) {
    case 'active':
      if (isLeaving) return 'is being deleted';
      if (wanted === '' || spec?.externallyProvisioned === true) return 'asks for no image';
      return image === undefined || image === urlDigest(wanted)
        ? undefined
        : `asks for ${urlDigest(wanted)}, not ${image}`;
    case 'deleted': {
      const { state = '', image: shown } = status?.provisioning ?? {};
      const isDeployed = ['provisioned', 'deprovisioning'].includes(state) && shown?.url === wanted;
      const isBegun = metadata.annotations[UNDEPLOYING_ANNOTATION] === node;
      return !isLeaving && wanted !== '' && isDeployed && !isBegun ? 'asks for the image that it has' : undefined;
    }
    case 'power off': {
      const isReboot = Object.keys(metadata.annotations).some((key) => key.startsWith('reboot.metal3.io'));
      return isLeaving || isReboot || spec?.online === false ? undefined : 'asks to be powered on';
    }
  }
}
