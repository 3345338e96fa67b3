import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, Worker } from '@temporalio/worker';
import { cachedBundle, configuredBundle } from '../../../workers/bundle.ts';
import type { Recorded } from '../../replay/replayer.ts';

/** Replays a recording with the workflow code of this folder, or with ours; prints how it ended. */
const [recording = '', code] = process.argv.slice(2);
const workflowBundle =
  code === 'endless'
    ? await bundleWorkflowCode({ workflowsPath: fileURLToPath(new URL('endless-workflow.ts', import.meta.url)) })
    : configuredBundle(await cachedBundle(), { encodesFailures: false, hasVersions: false });
const { workflowId, history } = JSON.parse(await readFile(recording, 'utf8')) as Recorded;
const isolateExecutionTimeout = code === 'endless' ? '3 seconds' : '10 minutes';
// In a thread, as workers do it; by default the SDK replays in the main one.
const options = { workflowBundle, isolateExecutionTimeout, debugMode: false };
const ending = Worker.runReplayHistory(options, history, workflowId).then(() => 'replayed', String);
process.stdout.write(`${await ending}\n`);
