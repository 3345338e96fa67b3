import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BroadcastChannel, isMainThread, threadId } from 'node:worker_threads';

/**
 * Loaded before our programs, in each of their threads. At each SIGWINCH, every thread of the process writes the source
 * files of which a function ran since the signal before into the folder TEMPER_BENCH_CALLS, by V8's coverage. Most other
 * signals end a process, or Temporal's workers in it (SIGUSR2).
 */

/** The source map of the workflow bundle that this checkout has made last; it names files by lines. */
function bundleMap(): SourceMap {
  const folder = join(process.cwd(), 'node_modules', '.cache', 'temper');
  const [newest] = readdirSync(folder)
    .filter((file) => file.startsWith('workflows-'))
    .map((file) => join(folder, file))
    .toSorted((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs);
  const encoded = /\/\/# sourceMappingURL=data:application\/json[^,]*,(\S+)\s*$/.exec(
    newest === undefined ? '' : readFileSync(newest, 'utf8'),
  )?.[1];
  if (encoded === undefined) throw new Error(`${folder} has no workflow bundle with a source map`);
  return new SourceMap(JSON.parse(Buffer.from(encoded, 'base64').toString()) as SourceMapPayload);
}

/** The SDK takes the source map out of the text of the bundle, and changes nothing else. */
function sourcesOf(text: string, offsets: readonly number[]): readonly string[] {
  const map = bundleMap();
  const sorted = offsets.toSorted((one, other) => one - other);
  let [line, start] = [0, 0];
  return sorted.flatMap((offset) => {
    for (let end = text.indexOf('\n', start); end !== -1 && end < offset; end = text.indexOf('\n', start)) {
      line += 1;
      start = end + 1;
    }
    const entry = map.findEntry(line, offset - start);
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
    if (offsets.length === 0 || !url.startsWith('file:')) return [];
    if (!basename(url).startsWith('workflow-bundle')) return [fileURLToPath(url)];
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
  process.on('SIGWINCH', () => {
    channel.postMessage('take');
    take();
  });
