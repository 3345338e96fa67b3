import { createScreen } from '../terminal/screen.ts';
import { type HostProgress, isSettled } from './host-progress.ts';
import { hostTable } from './table.ts';
import { type HostWatch, watchHosts } from './watch.ts';

export interface FollowOptions {
  readonly kubeconfig: string;
  /** Returns when these hosts are where they should be or say what is wrong; without it, only the signal ends it. */
  readonly untilSettled?: readonly string[];
  readonly signal: AbortSignal;
}

export interface Following {
  /** Writes a line without disturbing the table. */
  readonly note: (line: string) => void;
  readonly end: Promise<readonly HostProgress[]>;
}

/** Shows the hosts live: a table that is redrawn, or a line a change where there is no terminal. */
export async function followHosts({ kubeconfig, untilSettled, signal }: FollowOptions): Promise<Following> {
  const out = process.stdout;
  const screen = out.isTTY ? createScreen(out) : undefined;
  const began = Date.now();
  const { promise, resolve } = Promise.withResolvers<void>();
  const note = (line: string): void => {
    if (screen === undefined) out.write(`${line}\n`);
    else screen.note(line);
  };
  const isOver = (hosts: readonly HostProgress[]): boolean =>
    untilSettled !== undefined &&
    untilSettled.every((name) => hosts.some((host) => host.name === name && isSettled(host)));
  let watch: HostWatch | undefined;
  let drawing: NodeJS.Timeout | undefined;
  const draw = (): void => {
    drawing = undefined;
    if (watch !== undefined)
      screen?.draw(hostTable(watch.hosts(), { limit: Math.max(out.rows - 8, 5), width: out.columns }));
  };
  watch = await watchHosts(kubeconfig, (now, before) => {
    if (screen === undefined) note(line(now, before, Date.now() - began));
    else drawing ??= setTimeout(draw, 100);
    if (watch !== undefined && isOver(watch.hosts())) resolve();
  });
  const { hosts, stop } = watch;
  if (isOver(hosts())) resolve();
  signal.addEventListener('abort', () => resolve(), { once: true });
  if (signal.aborted) resolve();
  const finish = async (): Promise<readonly HostProgress[]> => {
    await promise;
    clearTimeout(drawing);
    await stop();
    if (screen !== undefined) draw();
    return hosts();
  };
  return { note, end: finish() };
}

function line(now: HostProgress, before: HostProgress | undefined, afterMs: number): string {
  const state = before === undefined || before.state === now.state ? now.state : `${before.state} → ${now.state}`;
  const power = now.power === '' ? '' : `, power ${now.power}`;
  const error = now.error === undefined ? '' : `: ${now.error}`;
  return `${(afterMs / 1_000).toFixed(1).padStart(6)} s  ${now.name}  ${state === '' ? 'new' : state}${power}${error}`;
}
