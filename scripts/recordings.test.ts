import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDER = 'test/replay/histories';
const PATCHES = 'workflows/patches.ts';
/** The commit of the first release, as CHANGELOG.md names it: from it on, runs of users exist. */
const FIRST_RELEASE = /^## 0\.1\.0\n+Commit ([0-9a-f]{40})\./m;

const git = async (...args: readonly string[]): Promise<readonly string[]> => {
  const { stdout } = await execa('git', args, { cwd: ROOT });
  return stdout.split('\n').filter((line) => line !== '');
};

/** What a commit did to recordings. */
interface Commit {
  readonly commit: string;
  /** Lines of `git show --name-status`. */
  readonly files: readonly string[];
  /** `workflows/patches.ts` before and after. */
  readonly patches: { readonly before: string; readonly after: string };
}

/** The commit of the first release. */
async function firstRelease(): Promise<string> {
  const [, commit] = FIRST_RELEASE.exec(await readFile(`${ROOT}CHANGELOG.md`, 'utf8')) ?? [];
  if (commit === undefined) throw new Error('CHANGELOG.md does not name the commit of 0.1.0');
  return commit;
}

/** The commits since the first release in which recordings were changed or deleted. */
async function changesOfRecordings(since: string): Promise<readonly Commit[]> {
  const commits = await git('log', '--no-renames', '--diff-filter=MD', '--format=%H', `${since}..HEAD`, '--', FOLDER);
  return Promise.all(
    commits.map(async (commit) => ({
      commit,
      files: await git('show', '--no-renames', '--name-status', '--format=', commit),
      patches: { before: await patchesAt(`${commit}^`), after: await patchesAt(commit) },
    })),
  );
}

/** The text of `workflows/patches.ts` in a commit; '' when the file does not exist there. */
async function patchesAt(commit: string): Promise<string> {
  const { stdout, exitCode } = await execa('git', ['show', `${commit}:${PATCHES}`], { cwd: ROOT, reject: false });
  return exitCode === 0 ? stdout : '';
}

const idsOf = (patches: string): readonly string[] => patches.match(/(?<=')\d{4}-\d\d-\d\d-[\w-]+(?=')/g) ?? [];

/** Recordings that the commit changed, or that it deleted although it removed no patch. */
function wronglyChanged({ commit, files, patches }: Commit): readonly string[] {
  const stands = idsOf(patches.after);
  const isPatchRemoved = idsOf(patches.before).some((id) => !stands.includes(id));
  return files
    .filter((file) => file.includes(FOLDER))
    .filter((file) => file.startsWith('M') || (file.startsWith('D') && !isPatchRemoved))
    .map((file) => `${commit.slice(0, 7)} ${file}`);
}

describe('recorded histories', () => {
  test('are never changed since the first release, and deleted only together with a patch', async ({ skip }) => {
    const release = await firstRelease();
    const { stdout } = await execa('git', ['rev-parse', '--is-shallow-repository'], { cwd: ROOT });
    if (stdout === 'true') skip('a shallow clone does not have the commits since the first release');
    await git('merge-base', '--is-ancestor', release, 'HEAD');
    expect((await changesOfRecordings(release)).flatMap(wronglyChanged)).toEqual([]);
  });

  test('may be deleted only by a commit that removes the id of a patch: adding or rewording one is not enough', () => {
    const one = "first: '2026-11-22-first',";
    const both = `${one}\nsecond: '2026-11-23-second',`;
    const change = (status: 'M' | 'D', before: string, after: string): readonly string[] =>
      wronglyChanged({ commit: 'abcdef01', files: [`${status}\t${FOLDER}/a.json`], patches: { before, after } });
    expect(change('D', both, one)).toEqual([]);
    const deleted = [`abcdef0 D\t${FOLDER}/a.json`];
    expect(change('D', one, both)).toEqual(deleted);
    expect(change('D', one, `// Other words.\n${one}`)).toEqual(deleted);
    expect(change('M', both, one)).toEqual([`abcdef0 M\t${FOLDER}/a.json`]);
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
