import { hostSelector } from '../domain/machine/choose-host/label-selector.ts';
import type { LabelSelector } from './objects/machine-api.ts';
import { once } from './once.ts';

type Matches = (labels: Readonly<Record<string, string>>) => boolean;

/** True when the labels match; an empty or invalid selector matches nothing. */
export const selects = (selector: LabelSelector, labels: Readonly<Record<string, string>>): boolean =>
  matchesOf(selector)(labels);

/** A selector with thousands of values is compared with thousands of Machines. */
const matchesOf = once((object): Matches => {
  const selector = object as LabelSelector;
  const { matchLabels, matchExpressions } = selector;
  if (Object.keys(matchLabels).length === 0 && matchExpressions.length === 0) return () => false;
  const read = hostSelector(selector);
  return read.kind === 'selector' ? read.matches : () => false;
});
