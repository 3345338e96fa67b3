import { EventEmitter, once } from 'node:events';
import type { WriteStream } from 'node:tty';
import { createScreen } from './screen.ts';

/** The space that a table can use on the terminal. */
export interface Room {
  readonly rows: number;
  readonly columns: number | undefined;
}

/** Output that changes: tables that are redrawn or, without a terminal, a line for each change. */
export interface Live {
  /** Writes a line above the tables. */
  readonly note: (line: string) => void;
  /**
   * Adds a table below the others; in a small terminal those above get less space. The returned function redraws it,
   * with a line for each change.
   */
  table(draw: (room: Room) => string): (change: string) => void;
  /** Returns when the check holds, which is repeated after each change, or when the signal aborts. */
  until(isSo: () => boolean, signal: AbortSignal): Promise<void>;
  /** Aborts at the end, when nobody watches any more. */
  readonly ended: AbortSignal;
  /** Writes the tables for the last time. */
  end(): void;
}

export function openLive(out: WriteStream): Live {
  const screen = out.isTTY ? createScreen(out) : undefined;
  const began = Date.now();
  const tables: ((room: Room) => string)[] = [];
  const changes = new EventEmitter();
  const ending = new AbortController();
  let drawing: NodeJS.Timeout | undefined;

  const note = (line: string): void => {
    if (screen === undefined) out.write(`${line}\n`);
    else screen.note(line);
  };
  const text = (rows: number): string => {
    let left = rows;
    const drawn = tables.toReversed().map((draw) => {
      const table = draw({ rows: left, columns: out.columns });
      left -= table.split('\n').length;
      return table;
    });
    return drawn.toReversed().join('\n');
  };
  const draw = (): void => {
    drawing = undefined;
    screen?.draw(text(out.rows - 1));
  };
  return {
    note,
    table: (table) => {
      tables.push(table);
      return (change) => {
        if (ending.signal.aborted) return;
        if (screen === undefined) note(`${((Date.now() - began) / 1_000).toFixed(1).padStart(6)} s  ${change}`);
        else drawing ??= setTimeout(draw, 100);
        changes.emit('change');
      };
    },
    until: async (isSo, signal) => {
      while (!isSo() && !signal.aborted) await once(changes, 'change', { signal }).catch(() => undefined);
    },
    ended: ending.signal,
    end: () => {
      ending.abort();
      clearTimeout(drawing);
      if (screen === undefined) note(`\n${text(Number.POSITIVE_INFINITY)}`);
      else draw();
    },
  };
}
