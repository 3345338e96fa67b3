import type { Frame, Row, Span } from './frames.ts';

/** Pixels of one character, and around the text. */
const CELL = { width: 8.4, height: 18 };
const MARGIN = 14;
/** The sixteen colours of a terminal, for a dark background. */
const COLOURS = [
  '#6b7280',
  '#f87171',
  '#4ade80',
  '#facc15',
  '#60a5fa',
  '#e879f9',
  '#22d3ee',
  '#e5e7eb',
  '#9ca3af',
  '#fca5a5',
  '#86efac',
  '#fde047',
  '#93c5fd',
  '#f0abfc',
  '#67e8f9',
  '#ffffff',
] as const;
const STYLE = `text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#e5e7eb;white-space:pre}
.b{font-weight:bold}.d{opacity:.6}`;

export interface Picture {
  readonly title: string;
  readonly columns: number;
  readonly rows: number;
  /** Seconds of the recording that the picture shows in one second. */
  readonly speed: number;
  /** Seconds for which the last frame stays. */
  readonly endS: number;
}

/**
 * Draws the frames side by side, and a style sheet moves them so that one is visible. There is no script, so it also
 * works in the image of a page. Readers who turned animations off see the last frame. A row that several frames share
 * is in the file once.
 */
export function svgOf(frames: readonly Frame[], { title, columns, rows, speed, endS }: Picture): string {
  const width = Math.ceil(columns * CELL.width) + 2 * MARGIN;
  const height = rows * CELL.height + 2 * MARGIN;
  const began = frames[0]?.at ?? 0;
  const duration = ((frames.at(-1)?.at ?? 0) - began) / speed + endS;
  const moves = frames.map(
    ({ at }, index) => `${percent((at - began) / speed / duration)}{transform:translateX(-${index * width}px)}`,
  );
  const ids = new Map<string, number>();
  const strip = frames.map(({ rows: shown }, index) => {
    const uses = shown.flatMap((row, y) =>
      row.length === 0 ? [] : [`<use href="#r${idOf(ids, rowMarkup(row))}" y="${y * CELL.height}"/>`],
    );
    return `<g transform="translate(${index * width})">${uses.join('')}</g>`;
  });
  const shared = [...ids].map(([markup, id]) => `<text id="r${id}" y="${CELL.height - 4}">${markup}</text>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escaped(title)}</title>
<style>${STYLE}
${COLOURS.map((colour, at) => `.c${at}{fill:${colour}}`).join('')}
.strip{transform:translateX(-${(frames.length - 1) * width}px)}
@media (prefers-reduced-motion:no-preference){.strip{animation:play ${duration.toFixed(1)}s step-end infinite}}
@keyframes play{${moves.join('')}}</style>
<defs>
${shared.join('\n')}
</defs>
<rect width="${width}" height="${height}" rx="8" fill="#111827"/>
<svg x="${MARGIN}" y="${MARGIN}" width="${width - MARGIN}" height="${height - MARGIN}"><g class="strip">
${strip.join('\n')}
</g></svg>
</svg>
`;
}

const percent = (part: number): string => `${(part * 100).toFixed(2)}%`;

function idOf(ids: Map<string, number>, markup: string): number {
  const id = ids.get(markup) ?? ids.size;
  ids.set(markup, id);
  return id;
}

const rowMarkup = (row: Row): string => row.map(spanMarkup).join('');

/** The text with its length, so that columns stay aligned in any font. */
function spanMarkup({ column, text, colour, isBold, isDim }: Span): string {
  const classes = [
    ...(colour !== undefined && colour < COLOURS.length ? [`c${colour}`] : []),
    ...(isBold ? ['b'] : []),
    ...(isDim ? ['d'] : []),
  ];
  const style = classes.length === 0 ? '' : ` class="${classes.join(' ')}"`;
  const length = pixels(text.length);
  return `<tspan x="${pixels(column)}" textLength="${length}"${style}>${escaped(text)}</tspan>`;
}

const pixels = (cells: number): string => String(Number((cells * CELL.width).toFixed(1)));

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
