import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { test } from 'vitest';
import { NODE_FLAGS } from '../../platform/node-flags.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PEAK = fileURLToPath(new URL('memory-at-rest/peak.ts', import.meta.url));

test.concurrent.for(['bridge', 'workers'] as const)(
  'a process with the flags of the %s returns its memory after a peak',
  async (program, { expect, signal }) => {
    const { stdout } = await execa(process.execPath, [...NODE_FLAGS[program], PEAK], {
      cwd: ROOT,
      cancelSignal: signal,
    });
    expect(stdout.split('\n')).toHaveLength(2);
  },
);
