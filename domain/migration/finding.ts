/** The rules of the check, by what they find. */
export type Rule =
  | 'webhook-without-server'
  | 'webhook-of-another'
  | 'conversion-without-server'
  | 'other-operator'
  | 'host-unreadable'
  | 'host-state'
  | 'host-bmc'
  | 'host-busy'
  | 'kind-missing'
  | 'kind-version'
  | 'kind-not-served'
  | 'finalizer-left'
  | 'annotation-left'
  | 'condition-left';

/** Something that hinders a switch, or that one should know before it. */
export interface Remark {
  readonly rule: Rule;
  readonly hinders: boolean;
  /** The object, with its kind; a kind alone stands for all of its objects. */
  readonly on: string;
  readonly what: string;
  /** What to do. */
  readonly next: string;
}

/** Findings of one rule that say the same. */
export interface Remarks extends Omit<Remark, 'on'> {
  readonly on: readonly string[];
}

/** Joins findings that differ in their object alone; those that hinder come first. */
export function joined(findings: readonly Remark[]): readonly Remarks[] {
  const byText = Map.groupBy(findings, ({ rule, hinders, what, next }) => JSON.stringify([rule, hinders, what, next]));
  const all = [...byText.values()].flatMap((same): Remarks[] => {
    const [first] = same;
    return first === undefined ? [] : [{ ...first, on: same.map(({ on }) => on) }];
  });
  return [...all.filter(({ hinders }) => hinders), ...all.filter(({ hinders }) => !hinders)];
}
