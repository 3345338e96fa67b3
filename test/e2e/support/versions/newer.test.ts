import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../start.ts';
import { NEWER } from './newer.ts';

test.each(NEWER)('a newer release can still be made of $file: $from', async ({ file, from }) => {
  expect((await readFile(join(ROOT, file), 'utf8')).split(from)).toHaveLength(2);
});
