import { isBreak, isPrintable, type ScalarStyle } from './yaml-scalar.ts';

/** go-yaml v2 breaks lines at the first space after this column. */
const WIDTH = 80;
const INDENT = 2;

/** A text that grows as go-yaml v2 lets it grow; column and indentation count characters. */
export class YamlWriter {
  text = '';
  private column = 0;
  /** The last that was written lets something follow without a space between. */
  private isSpaced = true;
  /** The line holds nothing yet but what indents it. */
  private isIndented = true;

  get holdsOnlyIndentation(): boolean {
    return this.isIndented;
  }

  /** Goes to `indent` on a line of its own. */
  startLine(indent: number): void {
    const isPast = this.column > indent || (this.column === indent && !this.isSpaced);
    if (!this.isIndented || isPast) this.breakLine();
    while (this.column < indent) this.put(' ');
    this.isSpaced = true;
    this.isIndented = true;
  }

  /** `-`, `?`, `:` and what else is no text; those that begin a line of a block count as its indentation. */
  mark(mark: string, { isApart, indents }: { readonly isApart: boolean; readonly indents: boolean }): void {
    if (isApart && !this.isSpaced) this.put(' ');
    for (const char of mark) this.put(char);
    this.isSpaced = false;
    this.isIndented = this.isIndented && indents;
  }

  scalar(text: string, style: ScalarStyle, indent: number, mayBreak: boolean): void {
    const chars = Array.from(text);
    switch (style) {
      case 'plain':
        return this.plain(chars, indent, mayBreak);
      case 'single-quoted':
        return this.singleQuoted(chars, indent, mayBreak);
      case 'double-quoted':
        return this.doubleQuoted(chars, indent, mayBreak);
      case 'literal':
        return this.literal(chars, indent);
    }
  }

  private put(char: string): void {
    this.text += char;
    this.column += 1;
  }

  private breakLine(): void {
    this.text += '\n';
    this.column = 0;
  }

  private putBreak(char: string): void {
    this.text += char;
    this.column = 0;
    this.isIndented = true;
  }

  private plain(chars: readonly string[], indent: number, mayBreak: boolean): void {
    if (!this.isSpaced) this.put(' ');
    this.folded(chars, indent, mayBreak, false);
    this.isSpaced = false;
    this.isIndented = false;
  }

  private singleQuoted(chars: readonly string[], indent: number, mayBreak: boolean): void {
    this.mark("'", { isApart: true, indents: false });
    this.folded(chars, indent, mayBreak, true);
    this.mark("'", { isApart: false, indents: false });
  }

  /** Lone spaces of a long line become line breaks; breaks within the text (never `\n` here) begin an indented line. */
  private folded(chars: readonly string[], indent: number, mayBreak: boolean, isQuoted: boolean): void {
    let wasSpace = false;
    let wasBreak = false;
    chars.forEach((char, index) => {
      if (char === ' ') {
        const isInside = !isQuoted || (index > 0 && index < chars.length - 1);
        const isLone = !wasSpace && chars[index + 1] !== ' ';
        if (mayBreak && isLone && isInside && this.column > WIDTH) this.startLine(indent);
        else this.put(char);
        wasSpace = true;
      } else if (isBreak(char)) {
        this.putBreak(char);
        wasBreak = true;
      } else {
        if (wasBreak) this.startLine(indent);
        if (isQuoted && char === "'") this.put("'");
        this.put(char);
        this.isIndented = false;
        wasSpace = false;
        wasBreak = false;
      }
    });
  }

  private doubleQuoted(chars: readonly string[], indent: number, mayBreak: boolean): void {
    this.mark('"', { isApart: true, indents: false });
    // A quirk of go-yaml: behind a byte order mark everything is escaped.
    const escapesAll = chars[0] === '\uFEFF';
    let wasSpace = false;
    chars.forEach((char, index) => {
      if (escapesAll || !isPrintable(char) || isBreak(char) || char === '"' || char === '\\') {
        for (const part of escaped(char)) this.put(part);
        wasSpace = false;
      } else if (char === ' ') {
        const isInside = index > 0 && index < chars.length - 1;
        if (mayBreak && !wasSpace && isInside && this.column > WIDTH) {
          this.startLine(indent);
          if (chars[index + 1] === ' ') this.put('\\');
        } else this.put(char);
        wasSpace = true;
      } else {
        this.put(char);
        wasSpace = false;
      }
    });
    this.mark('"', { isApart: false, indents: false });
  }

  private literal(chars: readonly string[], indent: number): void {
    this.mark('|', { isApart: true, indents: false });
    const first = chars[0] ?? '';
    if (first === ' ' || isBreak(first)) this.put(String(INDENT));
    const endsInBreak = isBreak(chars.at(-1) ?? '');
    if (!endsInBreak) this.put('-');
    else if (chars.length === 1 || isBreak(chars.at(-2) ?? '')) this.put('+');
    this.breakLine();
    this.isIndented = true;
    this.isSpaced = true;
    let wasBreak = true;
    for (const char of chars) {
      if (isBreak(char)) {
        this.putBreak(char);
        wasBreak = true;
      } else {
        if (wasBreak) this.startLine(indent);
        this.put(char);
        this.isIndented = false;
        wasBreak = false;
      }
    }
  }
}

const NAMED: Readonly<Record<string, string>> = {
  '\0': '0',
  '\u0007': 'a',
  '\b': 'b',
  '\t': 't',
  '\n': 'n',
  '\v': 'v',
  '\f': 'f',
  '\r': 'r',
  '\u001B': 'e',
  '"': '"',
  '\\': '\\',
  '\u0085': 'N',
  '\u00A0': '_',
  '\u2028': 'L',
  '\u2029': 'P',
};

function escaped(char: string): string {
  const named = NAMED[char];
  if (named !== undefined) return `\\${named}`;
  const code = char.codePointAt(0) ?? 0;
  const hex = (digits: number): string => code.toString(16).toUpperCase().padStart(digits, '0');
  if (code <= 0xff) return `\\x${hex(2)}`;
  return code <= 0xffff ? `\\u${hex(4)}` : `\\U${hex(8)}`;
}
