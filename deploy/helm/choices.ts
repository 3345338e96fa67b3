import { isDeepStrictEqual } from 'node:util';

/**
 * What differs between the manifests without components and those with one of them, as a tree whose parts say with
 * which components they are there. Components that change the same text in different ways exclude each other.
 */

/** A value of JSON. */
export type Value = unknown;

/** With at least one of some components, unless there are none, and with none of others. */
export interface Condition {
  readonly any?: readonly string[];
  readonly none?: readonly string[];
}

export interface Choice {
  /** undefined: always. */
  readonly when: Condition | undefined;
  readonly node: Node;
}

/** The first choice whose condition holds; nothing when none does. */
export type Slot = readonly Choice[];

export type Node =
  | { readonly kind: 'same'; readonly value: Value }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [key: string, slot: Slot])[] }
  | { readonly kind: 'list'; readonly items: readonly Slot[] };

/** By component, the value where it differs from the usual one; undefined: it is not there. */
type Changes = ReadonlyMap<string, Value>;

/** `usual` is the value without components; undefined: it is not there. */
export function choicesOf(usual: Value, changes: Changes): Slot {
  const gone = [...changes].filter(([, value]) => value === undefined).map(([component]) => component);
  const changed = new Map([...changes].filter(([, value]) => value !== undefined));
  const unlessGone = gone.length === 0 ? undefined : { none: gone };
  if (changed.size === 0) return usual === undefined ? [] : [{ when: unlessGone, node: same(usual) }];

  const groups = grouped(changed);
  const all = [...changed.values(), ...(usual === undefined ? [] : [usual])];
  const isSameForAll = usual === undefined && groups.length === 1;
  const when = usual === undefined ? { any: [...changed.keys()] } : unlessGone;
  if (!isSameForAll && all.every(isMap)) return [{ when, node: mapOf(usual ?? {}, changed) }];
  if (!isSameForAll && all.every(isList)) return [{ when, node: listOf((usual ?? []) as readonly Value[], changed) }];
  const others = groups.map(([value, any]): Choice => ({ when: { any }, node: same(value) }));
  return usual === undefined ? others : [...others, { when: unlessGone, node: same(usual) }];
}

const same = (value: Value): Node => ({ kind: 'same', value });
const isMap = (value: Value): value is Readonly<Record<string, Value>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

function grouped(changed: Changes): readonly (readonly [value: Value, components: readonly string[]])[] {
  const groups: [Value, string[]][] = [];
  for (const [component, value] of changed) {
    const group = groups.find(([other]) => isDeepStrictEqual(other, value));
    if (group === undefined) groups.push([value, [component]]);
    else group[1].push(component);
  }
  return groups;
}

/** What the components make of one part of a value. */
const partOf = (usual: Value, changed: Changes, part: (whole: Value) => Value): Slot =>
  choicesOf(
    usual,
    new Map(
      [...changed]
        .map(([component, whole]) => [component, part(whole)] as const)
        .filter(([, value]) => !isDeepStrictEqual(value, usual)),
    ),
  );

function mapOf(usual: Value, changed: Changes): Node {
  const fieldOf =
    (key: string) =>
    (whole: Value): Value =>
      isMap(whole) ? whole[key] : undefined;
  const keys = new Set([usual, ...changed.values()].flatMap((each) => (isMap(each) ? Object.keys(each) : [])));
  return {
    kind: 'map',
    entries: [...keys].map((key) => [key, partOf(fieldOf(key)(usual), changed, fieldOf(key))]),
  };
}

/** An item of a component's list, and the usual one that it belongs to; undefined: it is new. */
type Aligned = readonly { readonly at: number | undefined; readonly item: Value }[];

function listOf(usual: readonly Value[], changed: Changes): Node {
  const lists = new Map([...changed].map(([component, list]) => [component, align(usual, list as readonly Value[])]));
  const items: Slot[] = [...newBehind(undefined, lists)];
  usual.forEach((item, at) => {
    const itemOf = (whole: Value): Value => (whole as Aligned).find((one) => one.at === at)?.item;
    items.push(partOf(item, lists, itemOf), ...newBehind(at, lists));
  });
  return { kind: 'list', items };
}

/** The new items that stand behind a usual one (undefined: before the first), each once. */
function newBehind(at: number | undefined, lists: ReadonlyMap<string, Aligned>): readonly Slot[] {
  const found = new Map<string, Map<string, Value>>();
  for (const [component, list] of lists) {
    let behind: number | undefined;
    for (const one of list) {
      if (one.at !== undefined) behind = one.at;
      else if (behind === at) {
        const identity = identityOf(one.item);
        found.set(identity, (found.get(identity) ?? new Map<string, Value>()).set(component, one.item));
      }
    }
  }
  return [...found.values()].map((items) => choicesOf(undefined, items));
}

function align(usual: readonly Value[], list: readonly Value[]): Aligned {
  const isNamed = [...usual, ...list].every((item) => nameOf(item) !== undefined);
  // Items without a name that are as many as before are those of before, changed.
  if (!isNamed && usual.length === list.length) return list.map((item, at) => ({ at, item }));
  const taken = new Set<number>();
  return list.map((item) => {
    const identity = identityOf(item);
    const at = usual.findIndex((one, index) => !taken.has(index) && identityOf(one) === identity);
    if (at === -1) return { at: undefined, item };
    taken.add(at);
    return { at, item };
  });
}

const identityOf = (item: Value): string => nameOf(item) ?? JSON.stringify(item);

/** What names an item of a list: an object of Kubernetes, a container, a port, a volume, a mount, a webhook. */
function nameOf(item: Value): string | undefined {
  if (!isMap(item)) return undefined;
  const { kind, metadata, name, mountPath } = item;
  if (typeof kind === 'string' && isMap(metadata)) return [kind, metadata['namespace'], metadata['name']].join('/');
  return typeof name === 'string' ? [name, mountPath].join(' ') : undefined;
}
