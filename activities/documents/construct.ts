import { isAlias, isMap, isPair, isScalar, isSeq, type Scalar, type YAMLMap } from 'yaml';
import { offsetOf, type Targets, targetsOf, tooDeep } from './anchors.ts';
import { DOCUMENT_LIMITS } from './limits.ts';
import { TextError } from './problem.ts';
import { keyText, plainValue, type ScalarValue, taggedValue } from './scalars.ts';

type Table = Record<string, unknown>;

/** What was made so far, also of what aliases and merge keys repeat. */
interface Budget {
  values: number;
  characters: number;
}

interface Context {
  readonly text: string;
  readonly targets: Targets;
  /** Anchored nodes in which the present one is. */
  readonly within: Set<unknown>;
  readonly budget: Budget;
}

/** The data of a parsed YAML document, by the rules of upstream's parser. Throws a TextError. */
export function construct(root: unknown, text: string): unknown {
  const context = { text, targets: targetsOf(root), within: new Set(), budget: { values: 0, characters: 0 } };
  return valueOf(context, root, 1);
}

function valueOf(context: Context, node: unknown, depth: number): unknown {
  if (isAlias(node)) return throughAlias(context, node, (target) => valueOf(context, target, depth));
  if (isScalar(node)) return jsonOf(scalarOf(context, node), offsetOf(node));
  spend(context, 0, node);
  if (depth > DOCUMENT_LIMITS.depth) throw tooDeep(offsetOf(node));
  checkFlow(node, context.text);
  if (isSeq(node)) return node.items.map((item) => valueOf(context, item, depth + 1));
  if (isMap(node)) return filled(context, {}, node, depth);
  return null;
}

function throughAlias<T>({ targets, within }: Context, node: unknown, read: (target: unknown) => T): T {
  const target = isAlias(node) ? targets.get(node) : undefined;
  if (within.has(target)) throw new TextError('an anchor contains itself', offsetOf(node));
  within.add(target);
  const value = read(target);
  within.delete(target);
  return value;
}

/** In the order of the text, also for merge keys: the last value of a key counts. */
function filled(context: Context, table: Table, { items }: YAMLMap, depth: number): Table {
  for (const { key, value } of items) {
    if (isMergeKey(key)) merge(context, table, value, depth);
    else set(table, nameOf(context, key), value === null ? null : valueOf(context, value, depth + 1));
  }
  return table;
}

/** Also `__proto__` is a key like any other. */
const set = (table: Table, name: string, value: unknown): void => {
  Object.defineProperty(table, name, { value, enumerable: true, configurable: true, writable: true });
};

function nameOf(context: Context, key: unknown): string {
  const named = isAlias(key) ? context.targets.get(key) : key;
  const offset = offsetOf(key);
  if (!isScalar(named)) throw new TextError('a key is no scalar', offset);
  const name = keyText(scalarOf(context, named));
  if (name === undefined) throw new TextError('a key is null or no integer of 64 bits', offset);
  return name;
}

const MERGE_TAG = 'tag:yaml.org,2002:merge';

const isMergeKey = (key: unknown): boolean =>
  isScalar(key) &&
  key.source === '<<' &&
  (key.tag === undefined ? key.type === 'PLAIN' : key.tag === '!' || key.tag === MERGE_TAG);

/** Of several tables, the first one that has a key decides. */
function merge(context: Context, table: Table, value: unknown, depth: number): void {
  if (isSeq(value)) for (const item of value.items.toReversed()) mergeOne(context, table, item, depth);
  else mergeOne(context, table, value, depth);
}

function mergeOne(context: Context, table: Table, value: unknown, depth: number): void {
  if (isAlias(value)) throughAlias(context, value, (target) => mergeTable(context, table, target, depth, value));
  else mergeTable(context, table, value, depth, value);
}

function mergeTable(context: Context, table: Table, value: unknown, depth: number, at: unknown): void {
  if (!isMap(value)) throw new TextError('a merge key needs a table, or a list of tables', offsetOf(at));
  spend(context, 0, at);
  filled(context, table, value, depth);
}

function scalarOf(context: Context, scalar: Scalar): ScalarValue {
  const source = sourceOf(context.text, scalar);
  spend(context, source.length, scalar);
  const { tag, type } = scalar;
  if (tag === undefined) return type === 'PLAIN' || type === undefined ? plainValue(source) : source;
  const value = taggedValue(tag, source);
  if (value === undefined) throw new TextError('a value is not of the type that its tag says', offsetOf(scalar));
  return value;
}

/** The parser adds a line break to a block that the end of the text cuts off. */
function sourceOf(text: string, { source = '', type, range }: Scalar): string {
  const isBlock = type === 'BLOCK_LITERAL' || type === 'BLOCK_FOLDED';
  const isCut = isBlock && range?.[1] === text.length && !text.endsWith('\n');
  return isCut && source.endsWith('\n') ? source.slice(0, -1) : source;
}

function jsonOf(value: ScalarValue, offset: number | undefined): string | number | boolean | null {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'number' || Number.isFinite(value)) return value;
  throw new TextError('JSON has neither infinity nor NaN', offset);
}

function spend({ budget }: Context, characters: number, node: unknown): void {
  budget.values += 1;
  budget.characters += characters;
  const { values: mostValues, characters: mostCharacters } = DOCUMENT_LIMITS;
  if (budget.values > mostValues)
    throw new TextError(`it has more than ${mostValues} values, with those that aliases repeat`, offsetOf(node));
  if (budget.characters > mostCharacters)
    throw new TextError(
      `it has more than ${mostCharacters} characters, with those that aliases repeat`,
      offsetOf(node),
    );
}

/**
 * Throws for the three forms within brackets that upstream's parser reads as something else than ours: `[a:]`, `[?a]`
 * and `[!tag, a]`.
 */
function checkFlow(collection: unknown, text: string): void {
  if (!(isMap(collection) || isSeq(collection)) || collection.flow !== true) return;
  for (const item of collection.items) {
    checkScalar(isPair(item) ? item.key : item, text);
    if (isPair(item)) checkScalar(item.value, text);
    if (isPair(item) && isScalar(item.key) && item.key.type === 'PLAIN') {
      const end = item.key.range?.[1] ?? 0;
      if (/^:[,\]}]/.test(text.slice(end, end + 2))) throw new TextError('a blank is missing after the colon', end);
    }
  }
}

function checkScalar(scalar: unknown, text: string): void {
  const offset = offsetOf(scalar) ?? 0;
  if (!isScalar(scalar)) return;
  if (scalar.type === 'PLAIN' && /^\?\S/.test(text.slice(offset, offset + 2)))
    throw new TextError('a text that begins with a question mark needs quotes', offset);
  if (scalar.tag !== undefined && scalar.source === '') throw new TextError('a tag has no value', offset);
}
