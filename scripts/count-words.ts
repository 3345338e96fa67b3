import { readWords, wordsOf } from './documented/words.ts';

/** `npm run words`: how many words a person reads, page by page, and what is left out. */
const { counted, leftOut } = readWords();
const line = ({
  page,
  words,
  why = '',
}: {
  readonly page: string;
  readonly words: number;
  readonly why?: string;
}): string => `${String(words).padStart(7)}  ${page}${why === '' ? '' : ` (${why})`}\n`;

process.stdout.write('Words that a person reads:\n');
for (const page of counted) process.stdout.write(line(page));
process.stdout.write(line({ page: 'in all', words: wordsOf(counted) }));
process.stdout.write('\nLeft out:\n');
for (const page of leftOut) process.stdout.write(line(page));
