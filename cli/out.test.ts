import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));

test('a command whose reader has seen enough ends without an error', async () => {
  const command = spawn(process.execPath, [MAIN, 'help']);
  command.stdout.destroy();
  const ended = once(command, 'exit');
  expect(await text(command.stderr)).toBe('');
  expect(await ended).toEqual([0, null]);
});
