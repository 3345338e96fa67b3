import { execa } from 'execa';

/** The output that a terminal got, with times. */
export interface Cast {
  readonly columns: number;
  readonly rows: number;
  /** Seconds since the start, and the text with its control sequences. */
  readonly output: readonly (readonly [at: number, text: string])[];
}

/** Python is needed by the lab anyway, and its `pty` works on Linux and macOS without a native package. */
const IN_PTY = 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)';
/**
 * Chunks that follow one another within this time are joined, so that none ends within a path or a control sequence.
 */
const TOGETHER_S = 0.02;

/** Runs a command in a terminal of this size; rejects when it fails. */
export async function castOf(
  command: string,
  { cwd, columns, rows }: { readonly cwd: string; readonly columns: number; readonly rows: number },
): Promise<Cast> {
  const began = Date.now();
  const output: [number, string][] = [];
  const decoder = new TextDecoder();
  const run = execa('python3', ['-c', IN_PTY, 'sh', '-c', `stty cols ${columns} rows ${rows}; ${command}`], {
    cwd,
    stdin: 'ignore',
    buffer: false,
    env: { TERM: 'xterm-256color', FORCE_COLOR: '1' },
  });
  let last = Number.NEGATIVE_INFINITY;
  for await (const chunk of run.iterable({ binary: true })) {
    const at = (Date.now() - began) / 1_000;
    const text = decoder.decode(chunk, { stream: true });
    const before = output.at(-1);
    if (before !== undefined && at - last < TOGETHER_S) before[1] += text;
    else output.push([at, text]);
    last = at;
  }
  await run;
  return { columns, rows, output };
}

/** The cast with some words replaced, such as private paths. */
export function replaced(cast: Cast, words: readonly (readonly [from: string, to: string])[]): Cast {
  const inText = (text: string): string => words.reduce((now, [from, to]) => now.replaceAll(from, to), text);
  return { ...cast, output: cast.output.map(([at, text]) => [at, inText(text)]) };
}
