import type { Metal3MachineSpec } from '../../../api/metal3machine/types.ts';

type HostSelector = NonNullable<Metal3MachineSpec['hostSelector']>;
type Requirement = NonNullable<HostSelector['matchExpressions']>[number];
type Labels = Readonly<Record<string, string>>;
type Test = (labels: Labels) => boolean;

/** A valid selector, or its error. */
export type Selector =
  | { readonly kind: 'selector'; readonly matches: Test }
  | { readonly kind: 'invalid'; readonly message: string };

const NAME = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$/;
const PREFIX = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const INTEGER = /^[+-]?\d+$/;

/** Selects hosts by their labels; all hosts without a selector. Operators may be in upper or lower case. */
export function hostSelector({ matchLabels = {}, matchExpressions = [] }: HostSelector = {}): Selector {
  const tests: Test[] = [];
  for (const [key, value] of Object.entries(matchLabels)) {
    const problem = keyProblem(key) ?? valueProblem(value);
    if (problem !== undefined) return { kind: 'invalid', message: `hostSelector.matchLabels: ${problem}` };
    tests.push((labels) => labels[key] === value);
  }
  for (const requirement of matchExpressions) {
    const test = testOf(requirement);
    if (typeof test === 'string') return { kind: 'invalid', message: `hostSelector.matchExpressions: ${test}` };
    tests.push(test);
  }
  return { kind: 'selector', matches: (labels) => tests.every((test) => test(labels)) };
}

function keyProblem(key: string): string | undefined {
  const slash = key.indexOf('/');
  const [prefix, name] = slash < 0 ? [undefined, key] : [key.slice(0, slash), key.slice(slash + 1)];
  const isFit = NAME.test(name) && name.length <= 63 && (prefix === undefined || PREFIX.test(prefix));
  return isFit ? undefined : `"${key}" can't be the name of a label`;
}

const valueProblem = (value: string): string | undefined =>
  value === '' || (NAME.test(value) && value.length <= 63) ? undefined : `"${value}" can't be the value of a label`;

const OPERATORS = ['in', 'notin', '=', '==', '!=', 'exists', '!', 'doesnotexist', 'gt', 'lt']
  .map((operator) => `"${operator}"`)
  .join(', ');

function testOf({ key, operator, values }: Requirement): Test | string {
  const problem = keyProblem(key) ?? values.map(valueProblem).find((found) => found !== undefined);
  if (problem !== undefined) return problem;
  const [first = ''] = values;
  const one = values.length === 1 ? undefined : `operator ${operator} of ${key} takes one value`;
  switch (operator.toLowerCase()) {
    case 'in':
      if (values.length === 0) return `operator ${operator} of ${key} takes at least one value`;
      return (labels) => labels[key] !== undefined && values.includes(labels[key]);
    case 'notin':
      if (values.length === 0) return `operator ${operator} of ${key} takes at least one value`;
      return (labels) => labels[key] === undefined || !values.includes(labels[key]);
    case '=':
    case '==':
      return one ?? ((labels) => labels[key] === first);
    case '!=':
      return one ?? ((labels) => labels[key] !== first);
    case 'exists':
      return values.length > 0 ? `operator ${operator} of ${key} takes no values` : (labels) => key in labels;
    case 'doesnotexist':
    case '!':
      return values.length > 0 ? `operator ${operator} of ${key} takes no values` : (labels) => !(key in labels);
    case 'gt':
    case 'lt': {
      if (one !== undefined || !INTEGER.test(first)) return `operator ${operator} of ${key} takes one whole number`;
      const isGreater = operator.toLowerCase() === 'gt';
      return (labels) => {
        const value = labels[key] ?? '';
        if (!INTEGER.test(value)) return false;
        return isGreater ? BigInt(value) > BigInt(first) : BigInt(value) < BigInt(first);
      };
    }
    default:
      return `operator "${operator}" of ${key} is not known: supported values: ${OPERATORS}`;
  }
}
