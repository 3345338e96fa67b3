import { execa } from 'execa';
import { expect, test } from 'vitest';

/** Patterns of names can leave out a file, which then no command runs. */
test('each test file belongs to one project', async () => {
  const { stdout: listed } = await execa('vitest', ['list', '--filesOnly'], { preferLocal: true });
  const inProjects = listed.split('\n').flatMap((line) => /^\[[\w-]+\] (.*)$/.exec(line)?.[1] ?? []);
  const { stdout: tracked } = await execa('git', [
    'ls-files',
    '--cached',
    '--others',
    '--exclude-standard',
    '*.test.ts',
  ]);
  expect(inProjects.toSorted()).toEqual(tracked.split('\n').toSorted());
});
