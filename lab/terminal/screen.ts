import { clearScreenDown, moveCursor } from 'node:readline';
import type { WriteStream } from 'node:tty';

/** A block of text at the end of a terminal that is redrawn in place. */
export interface Screen {
  draw(text: string): void;
  /** Writes a line above the block. */
  note(line: string): void;
}

export function createScreen(out: WriteStream): Screen {
  let height = 0;
  let shown = '';
  const erase = (): void => {
    if (height > 0) moveCursor(out, 0, -height);
    clearScreenDown(out);
    height = 0;
  };
  const draw = (text: string): void => {
    // Text that does not fit cannot be redrawn: lines beyond the terminal's height would scroll away.
    const lines = text.split('\n').slice(0, Math.max(out.rows - 1, 1));
    erase();
    out.write(`${lines.join('\n')}\n`);
    height = lines.length;
    shown = text;
  };
  return {
    draw,
    note: (line) => {
      erase();
      out.write(`${line}\n`);
      if (shown !== '') draw(shown);
    },
  };
}
