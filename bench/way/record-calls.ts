import { writeFileSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BroadcastChannel, isMainThread, threadId } from 'node:worker_threads';

/**
 * Loaded before our programs, in each of their threads. At each SIGUSR2, every thread of the process writes the source
 * files of which a function ran since the signal before into the folder TEMPER_BENCH_CALLS, by V8's coverage.
 */

/** The workflow bundle ends with its source map, which names files by lines. */
function sourcesOf(text: string, offsets: readonly number[]): readonly string[] {
  const encoded = /\/\/# sourceMappingURL=data:application\/json[^,]*,(\S+)\s*$/.exec(text)?.[1];
  if (encoded === undefined) return [];
  const map = new SourceMap(JSON.parse(Buffer.from(encoded, 'base64').toString()) as SourceMapPayload);
  return offsets.flatMap((offset) => {
    const before = text.slice(0, offset);
    const entry = map.findEntry(before.split('\n').length - 1, offset - before.lastIndexOf('\n') - 1);
    return 'originalSource' in entry ? [entry.originalSource] : [];
  });
}

/** The files, with absolute paths. Sessions of the own thread answer before `post` returns. */
function filesRun(session: Session): readonly string[] {
  const scripts: Profiler.ScriptCoverage[] = [];
  session.post('Profiler.takePreciseCoverage', (error, { result }) => {
    if (error !== null) throw error;
    scripts.push(...result);
  });
  session.post('Debugger.enable');
  const files = scripts.flatMap(({ scriptId, url, functions }) => {
    // A module's own code is a function that begins with the file.
    const offsets = functions.flatMap(({ ranges: [whole] }) =>
      whole !== undefined && whole.count > 0 && whole.startOffset > 0 ? [whole.startOffset] : [],
    );
    if (offsets.length === 0 || url.startsWith('node:')) return [];
    if (url.startsWith('file:') && !basename(url).startsWith('workflow-bundle')) return [fileURLToPath(url)];
    let text = '';
    session.post('Debugger.getScriptSource', { scriptId }, (error, source) => {
      if (error === null) text = source.scriptSource;
    });
    return sourcesOf(text, offsets);
  });
  session.post('Debugger.disable');
  return [...new Set(files)];
}

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

let takes = 0;
const take = (): void => {
  takes += 1;
  const file = join(process.env['TEMPER_BENCH_CALLS'] ?? '.', `${process.pid}-${takes}-${threadId}.json`);
  writeFileSync(file, JSON.stringify(filesRun(session)));
};
const channel = new BroadcastChannel('temper-bench-calls');
channel.unref();
channel.onmessage = take;
if (isMainThread)
  process.on('SIGUSR2', () => {
    channel.postMessage('take');
    take();
  });
