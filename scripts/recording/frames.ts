import xterm, { type IBufferCell } from '@xterm/headless';
import type { Cast } from './cast.ts';

/** Text in one style, at a column of its row. */
export interface Span {
  readonly column: number;
  readonly text: string;
  /** One of the 256 colours of a terminal; undefined: the terminal's default. */
  readonly colour: number | undefined;
  readonly isBold: boolean;
  readonly isDim: boolean;
}
export type Row = readonly Span[];

export interface Frame {
  readonly at: number;
  readonly rows: readonly Row[];
}

/** The content of the terminal, at most once in the given seconds; frames without a change are left out. */
export async function framesOf({ columns, rows, output }: Cast, everyS: number): Promise<readonly Frame[]> {
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 0, allowProposedApi: true });
  const frames: Frame[] = [];
  let shown = '';
  const look = (at: number): void => {
    const now = screenOf(terminal, rows);
    const text = JSON.stringify(now);
    if (text !== shown) frames.push({ at, rows: now });
    shown = text;
  };
  let next = everyS;
  for (const [at, text] of output) {
    if (at >= next) {
      look(next);
      next = at + everyS;
    }
    await new Promise<void>((resolve) => terminal.write(text, resolve));
  }
  look(output.at(-1)?.[0] ?? 0);
  terminal.dispose();
  return frames;
}

const screenOf = (terminal: xterm.Terminal, rows: number): readonly Row[] =>
  Array.from({ length: rows }, (_, row) => rowOf(terminal, terminal.buffer.active.baseY + row));

function rowOf(terminal: xterm.Terminal, y: number): Row {
  const line = terminal.buffer.active.getLine(y);
  const spans: Span[] = [];
  for (let column = 0; column < terminal.cols; column += 1) {
    const cell = line?.getCell(column);
    if (cell === undefined) break;
    const text = cell.getChars() === '' ? ' ' : cell.getChars();
    const look = lookOf(cell);
    const last = spans.at(-1);
    if (last !== undefined && isSame(last, look)) spans[spans.length - 1] = { ...last, text: last.text + text };
    else spans.push({ column, text, ...look });
  }
  return spans.map(trimmed).filter(({ text }) => text !== '');
}

type Look = Pick<Span, 'colour' | 'isBold' | 'isDim'>;

const lookOf = (cell: IBufferCell): Look => ({
  colour: cell.isFgPalette() ? cell.getFgColor() : undefined,
  isBold: cell.isBold() !== 0,
  isDim: cell.isDim() !== 0,
});

const isSame = (a: Look, b: Look): boolean => a.colour === b.colour && a.isBold === b.isBold && a.isDim === b.isDim;

function trimmed(span: Span): Span {
  const text = span.text.trimStart();
  return { ...span, column: span.column + span.text.length - text.length, text: text.trimEnd() };
}
