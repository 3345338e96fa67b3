import Table from 'cli-table3';

const TIGHT = { head: [], border: [], compact: true };

/** The width left for the last column, after two spaces and a line for each other column. */
function widthLeft(head: readonly string[], rows: readonly (readonly string[])[], width: number): number {
  const others = head
    .slice(0, -1)
    .map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)) + 3);
  return Math.max(width - others.reduce((sum, one) => sum + one, 0) - 2, 20);
}

/** A table as text. With `last`, its last column has the width that is left, and is cut or wrapped. */
export function tableText(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  last?: { readonly width: number; readonly wordWrap: boolean },
): string {
  const narrow = head.slice(1).map(() => null);
  const table = new Table({
    head: [...head],
    style: TIGHT,
    ...(last && { colWidths: [...narrow, widthLeft(head, rows, last.width)], wordWrap: last.wordWrap }),
  });
  table.push(...rows.map((row) => [...row]));
  return table.toString();
}
