import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';
import { execa } from 'execa';
import { describe, expect, onTestFinished, test } from 'vitest';
import { NODE_FLAGS } from '../../platform/node-flags.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const HERE = fileURLToPath(new URL('activation-time', import.meta.url));
const FOLDER = fileURLToPath(new URL('../replay/histories/hostWorkflow', import.meta.url));
const [RECORDING = ''] = (await readdir(FOLDER)).filter((file) => file.includes('-life-'));

/** Replays one recording in a process of its own; returns what it printed. */
async function replayed(
  flags: readonly string[],
  bundle: readonly string[] = [],
  env = {},
): Promise<readonly string[]> {
  const args = [`--require=${join(HERE, 'told-limits.ts')}`, ...flags, join(HERE, 'replay.ts')];
  const { stdout } = await execa(process.execPath, [...args, join(FOLDER, RECORDING), ...bundle], { cwd: ROOT, env });
  return stdout.split('\n');
}
const limitedIn = (lines: readonly string[]): number => lines.filter((line) => line === 'limited call').length;

describe('the time of an activation', () => {
  test('is limited once with our flags, and once for each call into the workflow without them', async () => {
    const [ours, plain] = [await replayed(NODE_FLAGS.workers), await replayed([])];
    expect([ours.at(-1), plain.at(-1)]).toEqual(['replayed', 'replayed']);
    expect(limitedIn(ours)).toBeLessThan(limitedIn(plain) / 2);
  });

  test('is limited for each call with TEMPORAL_SDK_UNCHANGED too', async () => {
    const [unchanged, plain] = [
      await replayed(NODE_FLAGS.workers, [], { TEMPORAL_SDK_UNCHANGED: 'true' }),
      await replayed([]),
    ];
    expect([unchanged.at(-1), limitedIn(unchanged)]).toEqual(['replayed', limitedIn(plain)]);
  });

  test('is limited: workflow code that does not end fails its task', async () => {
    const lines = await replayed(NODE_FLAGS.workers, [await endlessCode()]);
    expect(lines.at(-1)).toContain('Script execution timed out after 3000ms');
  });
});

/** The file of a bundle whose workflow never ends its task. */
async function endlessCode(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'temper-endless-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { code } = await bundleWorkflowCode({ workflowsPath: join(HERE, 'endless-workflow.ts') });
  const file = join(folder, 'bundle.js');
  await writeFile(file, code);
  return file;
}
