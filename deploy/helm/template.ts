import { stringify } from 'yaml';
import type { Condition, Node, Slot, Value } from './choices.ts';

/** Writes trees of choices as templates of Helm. */

/** By component, the expression of Helm that is true when it is chosen. */
export type Expressions = (component: string) => string;

/** The lines of an entry of a map, with the conditions around it. */
export function entryLines(key: string, slot: Slot, of: Expressions): readonly string[] {
  return conditional(slot, of, (node) => {
    if (node.kind === 'same') return linesOf({ [key]: node.value });
    return [`${key}:`, ...indented(nodeLines(node, of))];
  });
}

/** The lines of an item of a list. */
const itemLines = (slot: Slot, of: Expressions): readonly string[] =>
  conditional(slot, of, (node) =>
    // The first line of the item may have a condition, so the dash is on a line of its own.
    node.kind === 'same' ? linesOf([node.value]) : ['-', ...indented(nodeLines(node, of))],
  );

export function nodeLines(node: Node, of: Expressions): readonly string[] {
  switch (node.kind) {
    case 'same':
      return linesOf(node.value);
    case 'map':
      return node.entries.flatMap(([key, slot]) => entryLines(key, slot, of));
    case 'list':
      return node.items.flatMap((slot) => itemLines(slot, of));
  }
}

/** The lines of the first choice whose condition holds. */
export function conditional(slot: Slot, of: Expressions, lines: (node: Node) => readonly string[]): readonly string[] {
  const [only, ...others] = slot;
  if (only === undefined) return [];
  if (only.when === undefined && others.length === 0) return lines(only.node);
  const branches = slot.flatMap(({ when, node }, index) => {
    const word = index === 0 ? 'if ' : when === undefined ? 'else' : 'else if ';
    return [`{{- ${word}${when === undefined ? '' : expressionOf(when, of)} }}`, ...lines(node)];
  });
  return [...branches, '{{- end }}'];
}

function expressionOf({ any = [], none = [] }: Condition, of: Expressions): string {
  const parts = [...(any.length === 0 ? [] : [or(any, of)]), ...(none.length === 0 ? [] : [`not ${or(none, of)}`])];
  return parts.length === 1 ? parts.join('') : `and ${parts.map((part) => `(${part})`).join(' ')}`;
}

function or(components: readonly string[], of: Expressions): string {
  const each = components.map((component) => `(${of(component)})`);
  return each.length === 1 ? each.join('') : `(or ${each.join(' ')})`;
}

/** YAML that Helm leaves as it is. */
const linesOf = (value: Value): readonly string[] =>
  stringify(value, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd().replaceAll('{{', '{{ "{{" }}').split('\n');

const indented = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => (line === '' || line.startsWith('{{- ') ? line : `  ${line}`));
