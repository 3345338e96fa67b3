import { same } from '../../domain/same.ts';

/** An intended difference of Temper, as in a row of a page of conformance. */
export interface KnownDifference {
  /** Id of the row. */
  readonly row: string;
  readonly stories: readonly string[];
  readonly changes: readonly Change[];
}

/** Stands for any value of upstream. */
export const ANYTHING = '<anything>';

export interface Change {
  /** Where in the account; `*` stands for every key. */
  readonly at: readonly string[];
  readonly upstream: unknown;
  readonly temper: unknown;
}

/** Upstream's account with these differences; nothing is changed where upstream's value is not there. */
export const changed = <Account>(account: Account, changes: readonly Change[]): Account =>
  changes.reduce((before, { at, upstream, temper }) => replaced(before, at, upstream, temper) as Account, account);

function replaced(value: unknown, [key, ...path]: readonly string[], from: unknown, to: unknown): unknown {
  if (key === undefined) return from === ANYTHING || same(value, from) ? to : value;
  if (value === undefined && from !== undefined) return undefined;
  if (Array.isArray(value)) {
    return value.flatMap((item, at) => (String(at) === key ? (replaced(item, path, from, to) ?? []) : [item]));
  }
  if (key === '*')
    return Object.fromEntries(
      Object.entries(value ?? {}).map(([name, inner]) => [name, replaced(inner, path, from, to)]),
    );
  const { [key]: before, ...rest } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const after = replaced(before, path, from, to);
  return after === undefined ? rest : { ...rest, [key]: after };
}
