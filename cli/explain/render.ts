import type { Cause } from '../../domain/diagnosis/diagnose.ts';
import { planLines } from '../plan/render.ts';
import type { Explanation } from './explanation.ts';

/** An explanation for people, line by line. */
export function explanationLines(explained: Explanation): readonly string[] {
  const { kind, namespace, name, stands, waitsFor, since, duration, lastError } = explained;
  const { outage, others } = withoutOutage(explained.causes);
  const sinceWords = since === undefined ? '' : `, since ${since} (${duration ?? ''})`;
  const printed = [waitsFor, ...(lastError === undefined ? [] : [lastError.message])];
  return [
    `${kind} ${namespace}/${name}: ${stands}${sinceWords}`,
    ...outage,
    ...(waitsFor === '' ? [] : [`waits for: ${waitsFor}`]),
    ...section('Chain', chainLines(explained)),
    ...section(
      'Last error',
      lastError && [
        `${lastError.type}, failure ${lastError.count} ${lastError.counted}, ${lastError.retry}:`,
        lastError.message,
      ],
    ),
    ...section(
      'Why',
      others.flatMap((cause, index) => causeLines(cause, [...printed, ...others.slice(0, index).flatMap(wordsOf)])),
    ),
    ...section(
      'What happens next, if all goes well',
      explained.plan && planLines(explained.plan).map((line) => withoutRepeats(line, printed)),
    ),
    ...section(
      'What a person can do now (WHY is yours to replace)',
      explained.canDo.flatMap(({ what, temper, kubectl }) => [`${what}:`, `  ${temper}`, `  ${kubectl}`]),
    ),
    ...section('Not looked at', explained.unread),
  ];
}

/** An outage of Temporal comes before all that it makes outdated. */
export const withoutOutage = (
  causes: readonly Cause[],
): { readonly outage: readonly string[]; readonly others: readonly Cause[] } => ({
  outage: causes.filter(({ of }) => of === 'temporal').flatMap((cause) => causeLines(cause)),
  others: causes.filter(({ of }) => of !== 'temporal'),
});

/** A titled part of a text; nothing when it has no lines. */
export const section = (title: string, lines: readonly string[] = []): readonly string[] =>
  lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${line}`)];

const wordsOf = ({ evidence }: Cause): readonly string[] => evidence.map(({ words }) => words);

/** Shorter texts are repeated: they say more than where to look for them. */
const SHORT = 30;

/** A text that was printed before is not repeated, nor within another one. */
const withoutRepeats = (text: string, printed: readonly string[]): string =>
  printed.filter(({ length }) => length > SHORT).reduce((said, one) => said.replaceAll(one, 'as above'), text);

function chainLines({ chain, waitsFor }: Explanation): readonly string[] {
  const width = (of: (link: Explanation['chain'][number]) => string): number =>
    Math.max(0, ...chain.map((link) => of(link).length));
  const [kinds, names] = [width(({ kind }) => kind), width(({ name }) => name || '-')];
  return chain.map(({ kind, name, says }) =>
    `${kind.padEnd(kinds)}  ${(name || '-').padEnd(names)}  ${withoutRepeats(says, [waitsFor])}`.trimEnd(),
  );
}

/** `printed`: what was printed before. */
export function causeLines(
  { id, cause, evidence, risk, next, commands }: Cause,
  printed: readonly string[] = [],
): readonly string[] {
  return [
    `${id}: ${cause}`,
    ...evidence.map(({ object, field, words }) => `  seen: ${object}, ${field}: ${withoutRepeats(words, printed)}`),
    ...(risk === undefined ? [] : [`  risk: ${risk}`]),
    `  do:   ${next}`,
    ...commands.map((command) => `        ${command}`),
  ];
}
