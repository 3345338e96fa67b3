/** How many words a sentence of a page may have. One in a table stands alone in its cell, and lists more. */
const MOST_WORDS = { text: 30, table: 35 } as const;

/** The sentences of a page that are too long. Blocks of code and headings have none. */
export function longSentences(markdown: string): readonly string[] {
  const page = markdown.replaceAll(/^ *```[^]*?^ *```$/gm, '').replaceAll(/^#.*$/gm, '');
  const longIn = (texts: readonly string[], most: number): readonly string[] =>
    texts
      .map(plain)
      .flatMap(sentencesOf)
      .filter((sentence) => lengthOf(sentence) > most);
  return [...longIn(paragraphsOf(page), MOST_WORDS.text), ...longIn(cellsOf(page), MOST_WORDS.table)];
}

/** Paragraphs and items of lists. */
const paragraphsOf = (page: string): readonly string[] =>
  page.replaceAll(ROW, '').split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/);

const ROW = /^ *\|.*$/gm;

/** The cells of tables, each of their lines. */
const cellsOf = (page: string): readonly string[] =>
  (page.match(ROW) ?? []).flatMap((row) => row.split(/(?<!\\)\||<br>/));

/** On one line. A piece of code counts as one word, a link as its text. */
const plain = (text: string): string =>
  text
    .replaceAll(/`[^`]*`/g, 'code')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/^\s*(?:[-*]|\d+\.) /gm, '')
    .replaceAll('*', '')
    .replaceAll(/\s+/g, ' ')
    .trim();

const sentencesOf = (paragraph: string): readonly string[] =>
  paragraph.split(/(?<=[.!?]["')]*) (?=["'(]?[\p{Lu}\d]|code)/u);

const lengthOf = (sentence: string): number => sentence.split(' ').filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
