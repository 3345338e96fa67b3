import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDER = 'test/replay/histories';
const THIS = 'scripts/recordings.test.ts';

const git = async (...args: readonly string[]): Promise<readonly string[]> => {
  const { stdout } = await execa('git', args, { cwd: ROOT });
  return stdout.split('\n').filter((line) => line !== '');
};

/** Commits since this test exists in which recordings were changed or deleted, with what else they changed. */
async function changesOfRecordings(): Promise<
  readonly { readonly commit: string; readonly files: readonly string[] }[]
> {
  const [since] = await git('log', '--diff-filter=A', '--format=%H', '--', THIS);
  if (since === undefined) return [];
  const commits = await git('log', '--no-renames', '--diff-filter=MD', '--format=%H', `${since}..HEAD`, '--', FOLDER);
  return Promise.all(
    commits.map(async (commit) => ({
      commit,
      files: await git('show', '--no-renames', '--name-status', '--format=', commit),
    })),
  );
}

describe('recorded histories', () => {
  test('are never changed, and deleted only together with a patch', async () => {
    const wrong = (await changesOfRecordings()).flatMap(({ commit, files }) => {
      const isPatchRemoved = files.some((file) => /^[MD]\tworkflows\/patches\.ts$/.test(file));
      const touched = files.filter((file) => file.includes(FOLDER));
      return touched
        .filter((file) => file.startsWith('M') || (file.startsWith('D') && !isPatchRemoved))
        .map((file) => `${commit.slice(0, 7)} ${file}`);
    });
    expect(wrong).toEqual([]);
  });

  test('are those of the runs in their names', async () => {
    const files = (await git('ls-files', FOLDER)).filter((file) => file.endsWith('.json'));
    for (const file of files) {
      const { history } = JSON.parse(await readFile(`${ROOT}${file}`, 'utf8')) as {
        readonly history: {
          readonly events: readonly {
            readonly workflowExecutionStartedEventAttributes?: { readonly originalExecutionRunId?: string };
          }[];
        };
      };
      const started = history.events[0]?.workflowExecutionStartedEventAttributes;
      expect(file).toContain(started?.originalExecutionRunId);
    }
  });
});
