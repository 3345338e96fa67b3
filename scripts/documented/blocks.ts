import { DOC_COMMANDS } from '../doc-commands.ts';

/** A block of commands of a document. */
export interface Block {
  readonly page: string;
  /** Its first line. */
  readonly begin: string;
  /** The section that it is in; '' before the first. */
  readonly section: string;
  /** Its steps are read by `stepsOf`. */
  readonly isStep: boolean;
  /** Its lines, without empty ones and without comments that have a line of their own. */
  readonly lines: readonly string[];
}

/** What is shown and not run has a language, such as `text` or `yaml`. */
const COMMANDS: readonly string[] = ['', 'sh', 'bash', 'shell'];
const FENCED = /^ *```(\w*)\n([^]*?)^ *```$/gm;

/** The blocks of commands of a page with this text. */
export const blocksOf = (page: string, text: string): readonly Block[] =>
  [...text.matchAll(FENCED)].flatMap(({ 1: language = '', 2: body = '', index }): readonly Block[] => {
    if (!COMMANDS.includes(language)) return [];
    const section = [...text.slice(0, index).matchAll(/^## (.+)$/gm)].at(-1)?.[1] ?? '';
    const lines = body.split('\n').map((line) => line.trim());
    return [
      {
        page,
        begin: lines[0] ?? '',
        section,
        isStep: language === 'sh',
        lines: lines.filter((line) => line !== '' && !line.startsWith('#')),
      },
    ];
  });

/** The key of a block in the table: the longest one that its first line begins with. */
export function keyOf({ page, begin }: Block): string | undefined {
  const keys = Object.keys(DOC_COMMANDS[page] ?? {}).filter((key) => begin.startsWith(key));
  return keys.toSorted((a, b) => b.length - a.length)[0];
}
