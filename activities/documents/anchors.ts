import { type Alias, isAlias, isCollection, isPair, isScalar, type Node } from 'yaml';
import { DOCUMENT_LIMITS } from './limits.ts';
import { TextError } from './problem.ts';

export type Targets = ReadonlyMap<Alias, Node>;

/** The node that each alias stands for: the last one before it with that anchor. */
export function targetsOf(root: unknown): Targets {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  const visit = (node: unknown, depth: number): void => {
    if (isAlias(node)) {
      const target = anchors.get(node.source);
      if (target === undefined) throw new TextError('an alias names no anchor that stands before it', offsetOf(node));
      targets.set(node, target);
    } else if (isPair(node)) {
      visit(node.key, depth);
      visit(node.value, depth);
    } else if (isScalar(node) || isCollection(node)) {
      if (node.anchor !== undefined) anchors.set(node.anchor, node as Node);
      if (isScalar(node)) return;
      if (depth > DOCUMENT_LIMITS.depth) throw tooDeep(offsetOf(node));
      for (const item of node.items) visit(item, depth + 1);
    }
  };
  visit(root, 1);
  return targets;
}

export const tooDeep = (offset?: number): TextError =>
  new TextError(`more than ${DOCUMENT_LIMITS.depth} collections are within each other`, offset);

export const offsetOf = (node: unknown): number | undefined =>
  (node as { readonly range?: readonly number[] | null } | null)?.range?.[0];
