import { toSeconds } from '../entity/conditions.ts';
import { OUT_OF_SERVICE } from './names.ts';

type Texts = Readonly<Record<string, string>>;

/** Labels and annotations of a Node. */
export interface NodeTexts {
  readonly labels: Texts;
  readonly annotations: Texts;
}

export interface Taint {
  readonly key: string;
  readonly effect: string;
  readonly [field: string]: unknown;
}

/** What is stored before the Node is deleted. `known`: from an earlier attempt, after which the Node did not return. */
export const backupOf = ({ labels, annotations }: NodeTexts, known: Partial<NodeTexts>): NodeTexts => ({
  labels: { ...known.labels, ...labels },
  annotations: { ...known.annotations, ...annotations },
});

/** The stored labels and annotations that the Node lacks; what the Node has stays. undefined: none. */
export function missingTexts(node: NodeTexts, stored: Partial<NodeTexts>): Partial<NodeTexts> | undefined {
  const labels = lacking(node.labels, stored.labels);
  const annotations = lacking(node.annotations, stored.annotations);
  if (labels === undefined && annotations === undefined) return undefined;
  return { ...(labels && { labels }), ...(annotations && { annotations }) };
}

function lacking(has: Texts, stored: Texts = {}): Texts | undefined {
  const entries = Object.entries(stored).filter(([key]) => !(key in has));
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

const isOutOfService = ({ key, effect }: Taint): boolean =>
  key === OUT_OF_SERVICE.key && effect === OUT_OF_SERVICE.effect;

/** undefined: it has the taint. */
export const withTaint = (taints: readonly Taint[], now: number): readonly Taint[] | undefined =>
  taints.some(isOutOfService) ? undefined : [...taints, { ...OUT_OF_SERVICE, timeAdded: toSeconds(now) }];

/** undefined: it has no such taint. */
export const withoutTaint = (taints: readonly Taint[]): readonly Taint[] | undefined =>
  taints.some(isOutOfService) ? taints.filter((taint) => !isOutOfService(taint)) : undefined;

/** True for a version of Kubernetes that acts on the taint: 1.28 or later. */
export function actsOnTaint({ major, minor }: { readonly major: string; readonly minor: string }): boolean {
  const [first, second] = [major, minor].map((text) => Number.parseInt(text, 10));
  if (first === undefined || second === undefined || Number.isNaN(first) || Number.isNaN(second)) return false;
  return first > 1 || (first === 1 && second >= 28);
}
