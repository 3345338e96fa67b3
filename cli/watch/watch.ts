import { toSeconds } from '../../domain/entity/conditions.ts';
import { messageOf } from '../../domain/message-of.ts';
import { type Kube, KubeError } from '../../kube/client.ts';
import { readMetadata } from '../../kube/objects/metadata.ts';
import { collectionPath } from '../../kube/paths.ts';
import { createReflector, keyOf, nameOf, type ObjectIdentity, type Reflector } from '../../kube/reflector.ts';
import { DONE, type Out, REFUSED, UNREACHABLE } from '../out.ts';
import { printable } from '../printable.ts';
import type { WatchRequest } from './options.ts';
import { placesOf, type WatchPlace } from './places.ts';
import { isSameShown, type ShownLine, shownOf } from './shown.ts';

/** A line of `--output json`. */
interface Line extends ShownLine {
  /** When it was seen, RFC 3339. */
  readonly at: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Only the text of a line is kept of an object. */
type Seen = ObjectIdentity & { readonly shown: ShownLine };

export interface Watching {
  readonly kube: Kube;
  readonly out: Out;
  readonly now: () => number;
  /** Ends the watch. */
  readonly ended: AbortSignal;
}

/**
 * Prints the present objects, then a line for each change. Returns the exit code when it is ended, or when the API
 * server refuses.
 */
export async function watchObjects(request: WatchRequest, { kube, out, now, ended }: Watching): Promise<number> {
  const refused = new AbortController();
  const signal = AbortSignal.any([ended, refused.signal]);
  const tell = (place: WatchPlace, key: string, shown: ShownLine): void => {
    const line = { at: toSeconds(now()), kind: place.kind.kind, ...nameOf(key), ...shown };
    out.line(request.output === 'json' ? JSON.stringify(line) : printable(textOf(line)));
  };
  const follow = (place: WatchPlace): Reflector<Seen> => {
    let isListed = false;
    const reflector = createReflector<Seen>({
      kube,
      path: collectionPath(place.kind, request.allNamespaces ? undefined : request.namespace),
      labelSelector: place.labelSelector,
      ...(place.name !== undefined && { fieldSelector: `metadata.name=${place.name}` }),
      keep(object) {
        const { namespace, name, uid, resourceVersion } = readMetadata(object);
        return { namespace, name, uid, resourceVersion, shown: shownOf(place.kind, object) };
      },
      onChange(key, is, was) {
        if (is === undefined) tell(place, key, GONE);
        else if (was?.uid !== is.uid || !isSameShown(was.shown, is.shown)) tell(place, key, is.shown);
      },
      onTrouble(error, _retryInMs, inARow) {
        if (isFinal(error, isListed, inARow)) refused.abort(error);
        else out.aside(`temper: the watch of ${place.kind.plural} is interrupted and goes on: ${messageOf(error)}`);
      },
    });
    void reflector.synced.then(() => {
      isListed = true;
      if (place.name === undefined || reflector.get(keyOf({ ...request, name: place.name })) !== undefined) return;
      out.aside(`temper: there is no ${place.kind.kind} ${request.namespace}/${place.name} yet: waits for it`);
    });
    return reflector;
  };
  await Promise.all(placesOf(request).map((place) => follow(place).run(signal)));
  if (!refused.signal.aborted) return DONE;
  const error: unknown = refused.signal.reason;
  out.aside(`temper: cannot watch: ${messageOf(error)}`);
  return error instanceof KubeError && error.status > 0 ? REFUSED : UNREACHABLE;
}

const GONE: ShownLine = { state: 'gone', reason: '', message: 'deleted, or no longer selected', since: '' };

/** 400: the selector is malformed. 404: the server does not know the kind. */
const NO: readonly number[] = [400, 403, 404];

/** True when another request would fail in the same way. A login that has expired is renewed once. */
function isFinal(error: unknown, isListed: boolean, inARow: number): boolean {
  if (!(error instanceof KubeError)) return !isListed;
  if (error.status === 0) return !isListed;
  return NO.includes(error.status) || (error.status === 401 && inARow > 1);
}

function textOf({ at, kind, namespace, name, state, reason, message, since }: Line): string {
  const sinceWords = since === '' ? '' : `, since ${since}`;
  const why = [reason, message].filter((each) => each !== '').join(': ');
  return `${at}  ${kind} ${namespace}/${name}  ${state}${sinceWords}${why === '' ? '' : `  ${why}`}`;
}
