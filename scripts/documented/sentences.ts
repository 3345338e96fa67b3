/** How many words a sentence of a page may have. */
const MOST_WORDS_OF_A_SENTENCE = 30;

/** The sentences of a page that are too long. Blocks of code, tables and headings have none. */
export function longSentences(markdown: string, most = MOST_WORDS_OF_A_SENTENCE): readonly string[] {
  return paragraphsOf(markdown)
    .flatMap(sentencesOf)
    .filter((sentence) => lengthOf(sentence) > most);
}

/** Paragraphs and items of lists, each on one line. */
const paragraphsOf = (markdown: string): readonly string[] =>
  markdown
    .replaceAll(/^ *```[^]*?^ *```$/gm, '')
    .replaceAll(/^(?:#|\|).*$/gm, '')
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/)
    .map((paragraph) => plain(paragraph).replaceAll(/\s+/g, ' ').trim())
    .filter((paragraph) => paragraph !== '');

/** A piece of code counts as one word, a link as its text. */
const plain = (text: string): string =>
  text
    .replaceAll(/`[^`]*`/g, 'code')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/^\s*(?:[-*]|\d+\.) /gm, '')
    .replaceAll('*', '');

const sentencesOf = (paragraph: string): readonly string[] =>
  paragraph.split(/(?<=[.!?]["')]*) (?=["'(]?[\p{Lu}\d]|code)/u);

const lengthOf = (sentence: string): number => sentence.split(' ').filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
