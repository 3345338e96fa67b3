import type { Metal3MachineSpec } from '../../../api/metal3machine/schema.ts';
import { BeyondBound, counter } from '../../bounds/beyond-bound.ts';
import { BOUNDS } from '../../bounds/bounds.ts';
import { invalidValue, keyProblems, valueProblems } from './label-problems.ts';

type HostSelector = NonNullable<Metal3MachineSpec['hostSelector']>;
type Requirement = NonNullable<HostSelector['matchExpressions']>[number];
type Labels = Readonly<Record<string, string>>;
type Test = (labels: Labels) => boolean;

/** A valid selector, or its error, as Kubernetes words it. */
export type Selector =
  | { readonly kind: 'selector'; readonly matches: Test }
  | { readonly kind: 'invalid'; readonly message: string };

/** Limit of problems that are named for one requirement: its author corrects these first. */
const MOST_NAMED = 10;

/** Selects hosts by their labels; all hosts without a selector. Operators may be in upper or lower case. */
export function hostSelector({ matchLabels = {}, matchExpressions = [] }: HostSelector = {}): Selector {
  const tests: Test[] = [];
  const ofLabels = Object.entries(matchLabels).map(([key, value]) => ({ key, operator: '=', values: [value] }));
  const requirements = [...ofLabels, ...matchExpressions];
  const beyond = beyondBound(requirements);
  if (beyond !== undefined) return { kind: 'invalid', message: beyond };
  for (const requirement of requirements) {
    const { test, problems } = read(requirement);
    if (problems.length > 0) return { kind: 'invalid', message: inBrackets(problems.slice(0, MOST_NAMED)) };
    tests.push(test);
  }
  return { kind: 'selector', matches: (labels) => tests.every((test) => test(labels)) };
}

function beyondBound(requirements: readonly Requirement[]): string | undefined {
  const count = counter(BOUNDS.selector);
  try {
    for (const { key, operator, values = [] } of requirements)
      for (const each of [key, operator, ...values]) count(each);
    return undefined;
  } catch (error) {
    if (error instanceof BeyondBound) return error.message;
    throw error;
  }
}

/** Without duplicates, several of them in brackets, as Kubernetes lists errors. */
function inBrackets(problems: readonly string[]): string {
  const said = [...new Set(problems)];
  return said.length === 1 ? said.join() : `[${said.join(', ')}]`;
}

interface Operator {
  readonly test: (key: string, values: readonly string[]) => Test;
  readonly problems: (values: readonly string[] | undefined) => readonly string[];
}

/** One problem of the list of values, unless it is as long as the operator needs. */
const ofLength =
  (isFit: (length: number) => boolean, detail: string): Operator['problems'] =>
  (values) =>
    isFit(values?.length ?? 0) ? [] : [`values: Invalid value: ${inGo(values)}: ${detail}`];

/** The list as Go writes it in JSON. */
const inGo = (values: readonly string[] | undefined): string =>
  JSON.stringify(values ?? null).replaceAll(
    /[<>&\u2028\u2029]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const some = ofLength((length) => length > 0, "for 'in', 'notin' operators, values set can't be empty");
const one = ofLength((length) => length === 1, 'exact-match compatibility requires one single value');
const none = ofLength((length) => length === 0, 'values set must be empty for exists and does not exist');
const oneNumber = ofLength((length) => length === 1, "for 'Gt', 'Lt' operators, exactly one value is required");

const isInteger = (text: string): boolean =>
  /^[+-]?\d+$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);

const integers: Operator['problems'] = (values) => [
  ...oneNumber(values),
  ...(values ?? []).flatMap((value, index) =>
    isInteger(value)
      ? []
      : [invalidValue(`values[${index}]`, value, "for 'Gt', 'Lt' operators, the value must be an integer")],
  ),
];

const compared =
  (isFit: (value: bigint, bound: bigint) => boolean): Operator['test'] =>
  (key, [bound = '']) =>
  (labels) => {
    const value = labels[key] ?? '';
    return isInteger(value) && isFit(BigInt(value), BigInt(bound));
  };

const isOneOf: Operator = {
  problems: some,
  test: (key, values) => {
    const wanted = new Set(values);
    return (labels) => labels[key] !== undefined && wanted.has(labels[key]);
  },
};
const equals: Operator = { ...isOneOf, problems: one };
const isNoneOf: Operator = {
  problems: some,
  test: (key, values) => {
    const isOne = isOneOf.test(key, values);
    return (labels) => !isOne(labels);
  },
};
const exists: Operator = { problems: none, test: (key) => (labels) => Object.hasOwn(labels, key) };
const isMissing: Operator = { problems: none, test: (key) => (labels) => !Object.hasOwn(labels, key) };

/** In the order in which they are named to users. The last one is that of Kubernetes' own selectors. */
const OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ['in', isOneOf],
  ['notin', isNoneOf],
  ['=', equals],
  ['==', equals],
  ['!=', { ...isNoneOf, problems: one }],
  ['gt', { problems: integers, test: compared((value, bound) => value > bound) }],
  ['lt', { problems: integers, test: compared((value, bound) => value < bound) }],
  ['exists', exists],
  ['!', isMissing],
  ['doesnotexist', isMissing],
]);

const SUPPORTED = [...OPERATORS.keys()].map((name) => `"${name}"`).join(', ');

function read({ key, operator, values }: Requirement): { readonly test: Test; readonly problems: readonly string[] } {
  const name = operator.toLowerCase();
  const found = OPERATORS.get(name);
  const unsupported = `operator: Unsupported value: ${JSON.stringify(name)}: supported values: ${SUPPORTED}`;
  return {
    test: found?.test(key, values ?? []) ?? (() => false),
    problems: [...keyProblems(key), ...(found?.problems(values) ?? [unsupported]), ...valueProblems(key, values ?? [])],
  };
}
