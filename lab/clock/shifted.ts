import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CLOCK_FOLDER } from './clock.ts';

/**
 * Loaded first by a process of a lab whose clocks can be wrong: the date is ahead of the computer's as the file for the
 * process says when it starts. Timers and the monotonic clock are right.
 */
const folder = process.env[CLOCK_FOLDER] ?? '';
const program = basename(dirname(process.argv[1] ?? ''));
const aheadMs = Number(textOf(join(folder, program)));

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '0';
  }
}

const RealDate = Date;

class ShiftedDate extends RealDate {
  constructor(...values: readonly unknown[]) {
    super(...((values.length === 0 ? [ShiftedDate.now()] : values) as [number]));
  }

  static override now(): number {
    return RealDate.now() + aheadMs;
  }
}

if (aheadMs !== 0) globalThis.Date = ShiftedDate as DateConstructor;
