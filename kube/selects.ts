import { hostSelector } from '../domain/machine/choose-host/label-selector.ts';
import type { LabelSelector } from './objects/machine-api.ts';

/** True when the labels match; an empty or invalid selector matches nothing. */
export function selects(selector: LabelSelector, labels: Readonly<Record<string, string>>): boolean {
  const { matchLabels, matchExpressions } = selector;
  if (Object.keys(matchLabels).length === 0 && matchExpressions.length === 0) return false;
  const read = hostSelector(selector);
  return read.kind === 'selector' && read.matches(labels);
}
