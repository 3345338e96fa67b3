import { readFile } from 'node:fs/promises';
import { Worker } from '@temporalio/worker';
import { cachedBundle, configuredBundle } from '../../../workers/bundle.ts';
import type { Recorded } from '../../replay/replayer.ts';

/** Replays a recording with our workflow code, or with the bundle of a file; prints how it ended. */
const [recording = '', codePath] = process.argv.slice(2);
const workflowBundle =
  codePath === undefined
    ? configuredBundle(await cachedBundle(), { encodesFailures: false, hasVersions: false })
    : { codePath };
const { workflowId, history } = JSON.parse(await readFile(recording, 'utf8')) as Recorded;
const isolateExecutionTimeout = codePath === undefined ? '10 minutes' : '3 seconds';
// In a thread, as workers do it; by default the SDK replays in the main one.
const options = { workflowBundle, isolateExecutionTimeout, debugMode: false };
const ending = Worker.runReplayHistory(options, history, workflowId).then(() => 'replayed', String);
process.stdout.write(`${await ending}\n`);
