import { Composer, type CST, type Document, type ErrorCode, Lexer, Parser } from 'yaml';
import { tooDeep } from './anchors.ts';
import { construct } from './construct.ts';
import { DOCUMENT_LIMITS } from './limits.ts';
import { problemAt, TextError, type TextProblem } from './problem.ts';

export type Parsed =
  | { readonly kind: 'data'; readonly data: Readonly<Record<string, unknown>> | undefined }
  | { readonly kind: 'problem'; readonly problem: TextProblem };

/**
 * Parses JSON, or the first document of YAML as upstream's parser (sigs.k8s.io/yaml) does, to an object; undefined for
 * nothing. `docs/conformance.md` has the forms that are refused here and accepted there.
 */
export function parse(original: string): Parsed {
  const text = original.replaceAll(/\r\n?/g, '\n');
  try {
    const value = asJson(original) ?? { data: asYaml(text) };
    return { kind: 'data', data: objectOf(value.data) };
  } catch (error) {
    if (error instanceof TextError) return { kind: 'problem', problem: problemAt(text, error.message, error.offset) };
    // A parser that calls itself for each collection: it runs out of stack.
    if (error instanceof RangeError) return { kind: 'problem', problem: { reason: tooDeep().message } };
    throw error;
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value !== 'object' || Array.isArray(value)) throw new TextError('it is not an object');
  return value as Readonly<Record<string, unknown>>;
}

/** undefined: the text is not JSON. */
function asJson(text: string): { readonly data: unknown } | undefined {
  const whole = text.startsWith('\uFEFF') ? text.slice(1) : text;
  if (!/^\s*\{/.test(whole)) return undefined;
  let data: unknown;
  try {
    data = JSON.parse(whole);
  } catch {
    return undefined;
  }
  checkForm(data);
  return { data };
}

/**
 * Upstream's parser ends with the first document. `strict` off: blanks may be missing where the meaning is clear. Tags
 * and scalars are resolved by `construct`.
 */
const OPTIONS = {
  version: '1.1',
  schema: 'failsafe',
  merge: false,
  resolveKnownTags: false,
  uniqueKeys: false,
  strict: false,
  prettyErrors: false,
  logLevel: 'silent',
  keepSourceTokens: true,
} as const;

function asYaml(text: string): unknown {
  checkCharacters(text);
  const composer = new Composer(OPTIONS);
  const [document] = composer.compose(tokens(text), true, text.length);
  if (document === undefined) return undefined;
  const [error] = document.errors;
  if (error !== undefined) throw new TextError(REASONS[error.code] ?? 'it is neither YAML nor JSON', error.pos[0]);
  return construct((document as Document).contents, text);
}

function* tokens(text: string): Generator<CST.Token> {
  const parser = new Parser();
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    count += 1;
    if (count > DOCUMENT_LIMITS.tokens) throw new TextError(`it has more than ${DOCUMENT_LIMITS.tokens} tokens`);
    for (const token of parser.next(lexeme)) {
      if (token.type === 'error') throw new TextError(UNEXPECTED, token.offset);
      yield token;
    }
  }
  yield* parser.end();
}

/** Control characters; and characters that YAML 1.1 takes for line breaks, and the parser does not. */
const REFUSED = /[^\P{Cc}\t\n]|[\u2028\u2029\uFFFE\uFFFF]/u;

function checkCharacters(text: string): void {
  const at = text.search(REFUSED);
  if (at !== -1) throw new TextError('this character must be written as an escape, in double quotes', at);
}

const UNEXPECTED = 'something is here that cannot be here';

/** In our words: those of the parser may quote the text. */
const REASONS: Partial<Record<ErrorCode, string>> = {
  BAD_INDENT: 'the indentation is wrong here, or a bracket is not closed',
  BAD_ALIAS: 'an alias is wrong here',
  BAD_DQ_ESCAPE: 'there is no such escape',
  BAD_SCALAR_START: 'a text that begins like this needs quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a second mapping begins in this line: a text with ": " needs quotes',
  BLOCK_IN_FLOW: 'a list with "-" cannot stand within brackets',
  MISSING_CHAR: 'a quote, a bracket, a comma, a colon or a blank is missing',
  MULTILINE_IMPLICIT_KEY: 'a key is longer than its line, or its colon is missing',
  TAB_AS_INDENT: 'a tab cannot indent',
  UNEXPECTED_TOKEN: UNEXPECTED,
  RESOURCE_EXHAUSTION: tooDeep().message,
};

/** Throws for JSON that is too deep or has too many values, or numbers beyond a float. It calls itself nowhere. */
function checkForm(root: unknown): void {
  let level = [root];
  let values = 0;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DOCUMENT_LIMITS.depth + 1) throw tooDeep();
    values += level.length;
    if (values > DOCUMENT_LIMITS.values) throw new TextError(`it has more than ${DOCUMENT_LIMITS.values} values`);
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value === 'number' && !Number.isFinite(value)) throw new TextError('a number is too large');
      if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) next.push(each);
    }
    level = next;
  }
}
