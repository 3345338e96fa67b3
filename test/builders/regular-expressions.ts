import fc from 'fast-check';
import { parseAst } from 'rolldown/parseAst';
import { inRepository } from './compose-file.ts';
import { productionFiles } from './production-files.ts';

export interface FoundExpression {
  /** Relative to the repository. */
  readonly file: string;
  readonly expression: RegExp;
}

/** The regular expressions that production code has written down. */
export const writtenExpressions = (): readonly FoundExpression[] =>
  productionFiles().flatMap(({ file, text }) =>
    literalsIn(parseAst(text, { lang: 'ts' })).map((expression) => ({ file, expression })),
  );

function literalsIn(node: unknown): readonly RegExp[] {
  if (typeof node !== 'object' || node === null) return [];
  const { regex } = node as { readonly regex?: { readonly pattern: string; readonly flags: string } };
  return regex === undefined ? Object.values(node).flatMap(literalsIn) : [new RegExp(regex.pattern, regex.flags)];
}

/** Builds all schemas, with the patterns of their fields. */
const SCHEMAS = 'api/crds.ts';

/** The regular expressions that production code puts together when it is loaded. Call it before that. */
export async function madeExpressions(): Promise<readonly FoundExpression[]> {
  const BuiltIn = globalThis.RegExp;
  const found: FoundExpression[] = [];
  const makers = productionFiles().filter(({ text }) => text.includes('new RegExp('));
  try {
    for (const file of [...makers.map((maker) => maker.file), SCHEMAS]) {
      globalThis.RegExp = new Proxy(BuiltIn, {
        construct(target, parts) {
          const expression = Reflect.construct(target, parts) as RegExp;
          found.push({ file, expression });
          return expression;
        },
      });
      await import(inRepository(file));
    }
  } finally {
    globalThis.RegExp = BuiltIn;
  }
  return found;
}

const SAMPLES = 4;
const MOST_CUTS = 8;

/**
 * Texts of about this length that an expression fails for as late as possible: what it matches, with a part repeated.
 */
export function attacksOn({ source }: RegExp, length: number): readonly string[] {
  const samples = [...new Set([...matching(source), plain(source)])].filter((sample) => sample !== '');
  const attacks = samples.flatMap((sample) =>
    cutsOf(sample).flatMap((at) =>
      [1, 3, sample.length].flatMap((size) => {
        const part = sample.slice(at, at + size);
        const begin = sample.slice(0, at) + part.repeat(Math.ceil(length / part.length));
        return [begin, `${begin}\u0000`];
      }),
    ),
  );
  const words = (source.match(/[\w<>=:"' -]{3,}/g) ?? []).map((word) => word.repeat(Math.ceil(length / word.length)));
  return [...new Set([...attacks, ...words])];
}

function cutsOf(sample: string): readonly number[] {
  const step = Math.ceil(sample.length / MOST_CUTS);
  return Array.from({ length: Math.ceil(sample.length / step) }, (_, index) => index * step);
}

/** Texts that match; none for an expression that the generator does not know. */
function matching(source: string): readonly string[] {
  try {
    return fc.sample(fc.stringMatching(new RegExp(source), { size: 'small' }), { seed: 1, numRuns: SAMPLES });
  } catch {
    return [];
  }
}

/** The expression without its signs. */
const plain = (source: string): string => source.replaceAll(/\\[a-zA-Z]|[[\](){}?*+^$|\\]/g, '');
