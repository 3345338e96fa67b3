import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import {
  apiObjects,
  expected,
  type Rendered,
  type RenderedCase,
  type RenderedText,
  render,
  renderDocument,
  writtenCases,
} from '../test/rendered/case.ts';
import { documents, madeUpCases } from '../test/rendered/made-up.ts';
import { read, readText } from '../test/rendered/reading.ts';

const USAGE = `Usage: node scripts/record-rendered.ts UPSTREAM [COUNT SEED]

UPSTREAM is the program built as described in test/rendered/README.md. Without COUNT, records its output for every
case in test/rendered/. With COUNT, compares this number of generated cases and shows the differences.
`;
const SEED = 20_260_821;

const [upstream, count, seed] = process.argv.slice(2);
if (upstream === undefined) {
  process.stderr.write(USAGE);
  process.exit(2);
}

function ask<Answer>(what: 'cases' | 'yaml', questions: readonly unknown[]): readonly Answer[] {
  const input = questions.map((question) => `${JSON.stringify(question)}\n`).join('');
  const answers = execFileSync(upstream ?? '', [what], { input, encoding: 'utf8', maxBuffer: 2 ** 30 });
  return answers
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer);
}

const rendered = (cases: readonly RenderedCase[]): readonly Rendered[] => ask('cases', cases.map(apiObjects));

function compare<Question, Answer>(
  questions: readonly Question[],
  theirs: readonly Answer[],
  ours: (question: Question) => Answer,
  wanted: (their: Answer, our: Answer, question: Question) => Answer,
  reading: (answer: Answer) => object,
): void {
  const different = questions.flatMap((question, index) => {
    const [their, our] = [theirs[index], ours(question)];
    return their !== undefined && isDeepStrictEqual(reading(wanted(their, our, question)), reading(our))
      ? []
      : [{ question, their, our }];
  });
  for (const one of different.slice(0, 5)) process.stdout.write(`${JSON.stringify(one, null, 1)}\n`);
  process.stdout.write(`${different.length} of ${questions.length} differ\n`);
}

const write = (file: string, rows: readonly unknown[]): void =>
  writeFileSync(
    new URL(`../test/rendered/${file}`, import.meta.url),
    `[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]\n`,
  );

if (count === undefined) {
  const written = writtenCases();
  const answers = rendered(written);
  write(
    'answers.json',
    written.map(({ name }, index) => ({ name, answer: answers[index] })),
  );
  const cases = madeUpCases(SEED, 60);
  const about = rendered(cases);
  write(
    'made-up.json',
    cases.map((made, index) => ({ made, answer: about[index] })),
  );
  const texts = documents(SEED, 300);
  const yaml = ask<RenderedText>('yaml', texts);
  write(
    'yaml.json',
    texts.map((document, index) => ({ document, answer: yaml[index] })),
  );
} else {
  const cases = madeUpCases(Number(seed), Number(count));
  compare(cases, rendered(cases), render, expected, read);
  const texts = documents(Number(seed), Number(count));
  compare(texts, ask<RenderedText>('yaml', texts), renderDocument, (their) => their, readText);
}
