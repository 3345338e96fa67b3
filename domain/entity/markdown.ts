declare const MARKDOWN: unique symbol;

/** A text for the Web UI, which shows Markdown. Whatever users, servers and other programs have written is escaped. */
export type Markdown = string & { readonly [MARKDOWN]: true };

/**
 * Markdown from a template, whose values are shown as they are: a line break is a space, and no value can show a link,
 * an image, HTML, a heading or a list.
 */
export const markdown = (literals: TemplateStringsArray, ...values: readonly (string | number)[]): Markdown =>
  String.raw({ raw: literals }, ...values.map((value) => escaped(String(value)))) as Markdown;

/** A line that is shown as it is, for commands to copy; it follows an empty line, or another one of these. */
export const codeLine = (text: string): Markdown => `    ${text.replaceAll(/[\r\n]+/g, ' ')}` as Markdown;

/** A link within the Web UI. */
export const linkTo = (title: string, path: string): Markdown =>
  `[${escaped(title)}](${path.replaceAll('(', '%28').replaceAll(')', '%29')})` as Markdown;

export const joined = (parts: readonly Markdown[], between: '\n' | '' = '\n'): Markdown =>
  parts.join(between) as Markdown;

/** An underscore within a word means nothing, and URLs have many. */
const SPECIAL = /[\\`*[\]<>~]|&(?=#?\w+;)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;
/** At the begin of a line these make a list or a heading. */
const AT_BEGIN = /^(\s?)([-+=#]|\d+(?=[.)]))/;

const escaped = (text: string): string =>
  text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(SPECIAL, String.raw`\$&`)
    .replace(AT_BEGIN, (_, space: string, begin: string) =>
      /\d/.test(begin) ? `${space}${begin}\\` : `${space}\\${begin}`,
    );
