/** What the spec of a Machine says about its Node, and what a Node has. */
export interface NodeWish {
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly WishedTaint[];
}

export interface WishedTaint {
  readonly key: string;
  readonly value?: string | undefined;
  readonly effect: string;
}

/**
 * The labels that a Node lacks or has with another value, and the taints that it lacks. A taint with the same key and
 * effect stays, because others change its value.
 */
export function lackingIn(node: NodeWish, { labels, taints }: NodeWish): NodeWish {
  const known = new Set(node.taints.map(idOf));
  return {
    labels: Object.fromEntries(Object.entries(labels).filter(([key, value]) => node.labels[key] !== value)),
    taints: taints.filter((taint) => !known.has(idOf(taint))),
  };
}

const idOf = ({ key, effect }: WishedTaint): string => JSON.stringify([key, effect]);

export const isEmpty = ({ labels, taints }: NodeWish): boolean =>
  Object.keys(labels).length === 0 && taints.length === 0;
