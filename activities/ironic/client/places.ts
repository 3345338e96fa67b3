/** `first`: power-off, abort and deletion, which overtake all others. */
export type Urgency = 'first' | 'usual';

/** Who wants to change something at Ironic. */
export interface PlaceWish {
  readonly urgency: Urgency;
  /** Places are given to namespaces in turn. */
  readonly namespace: string;
  readonly signal?: AbortSignal | undefined;
}

/** A bounded number of places for changes at Ironic. */
export interface Places {
  /** Waits for a place, works in it, and leaves it. Throws the signal's reason when it is aborted while waiting. */
  within<T>(wish: PlaceWish, work: () => Promise<T>): Promise<T>;
  readonly waiting: number;
}

/** Waiting work of one urgency: namespaces in turn, inside a namespace in order. */
type Line = Map<string, (() => void)[]>;

/** @param onPlace is called with the milliseconds that each one has waited for its place. */
export function createPlaces(limit: number, onPlace: (waitedMs: number) => void = () => undefined): Places {
  const lines: Readonly<Record<Urgency, Line>> = { first: new Map(), usual: new Map() };
  let taken = 0;
  let waiting = 0;

  function next(): void {
    if (taken >= limit) return;
    const enter = shifted(lines.first) ?? shifted(lines.usual);
    if (enter === undefined) return;
    taken += 1;
    waiting -= 1;
    enter();
  }

  function enter({ urgency, namespace, signal }: PlaceWish): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const line = lines[urgency];
      const cancel = (): void => {
        waiting -= 1;
        removed(line, namespace, begin);
        reject(signal?.reason as Error);
      };
      const begin = (): void => {
        signal?.removeEventListener('abort', cancel);
        resolve();
      };
      signal?.addEventListener('abort', cancel, { once: true });
      waiting += 1;
      line.set(namespace, [...(line.get(namespace) ?? []), begin]);
      next();
    });
  }

  return {
    async within(wish, work) {
      const askedAt = performance.now();
      await enter(wish);
      onPlace(performance.now() - askedAt);
      try {
        return await work();
      } finally {
        taken -= 1;
        next();
      }
    },
    get waiting() {
      return waiting;
    },
  };
}

/** The first of the namespace whose turn it is, which goes behind the others. */
function shifted(line: Line): (() => void) | undefined {
  const [turn] = line;
  if (turn === undefined) return undefined;
  const [namespace, [first, ...others]] = turn;
  line.delete(namespace);
  if (others.length > 0) line.set(namespace, others);
  return first;
}

function removed(line: Line, namespace: string, one: () => void): void {
  const others = (line.get(namespace) ?? []).filter((each) => each !== one);
  if (others.length === 0) line.delete(namespace);
  else line.set(namespace, others);
}
