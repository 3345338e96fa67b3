import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import PQueue from 'p-queue';
import { connectKube } from '../kube/client.ts';
import { liveAsHosts } from '../test/differential/cluster-api/host-life.ts';
import { serveClusterApi } from '../test/differential/cluster-api/kinds.ts';
import { play } from '../test/differential/cluster-api/play.ts';
import { readRecordings, writeRecordings } from '../test/differential/cluster-api/recordings.ts';
import { OPERATORS, readStories, type Story } from '../test/differential/cluster-api/story.ts';
import { watchStories } from '../test/differential/cluster-api/witness.ts';
import { counted, type Recording } from '../test/differential/recordings.ts';

const USAGE = `Usage: node scripts/record-cluster-api-stories.ts KUBECONFIG OPERATOR --commit COMMIT [--settings SETTINGS]
       [--runs 2] [--parallel 60] [--only TEXT]... [--show] [--prepare]

Plays the stories of test/differential/cluster-api/stories/OPERATOR with that operator of upstream, which must run
already, and records the results. The API server must serve Metal3's CRDs and be disposable: nothing is cleaned up.

  --settings  the stories with these settings of the operator or its API server, instead of those without any
  --only      of these the stories whose title contains TEXT, or one of several; all others are kept as they were
              recorded
  --show      shows the results and records nothing
  --prepare   only makes the API server serve Cluster API's kinds
`;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    commit: { type: 'string', default: '' },
    settings: { type: 'string' },
    runs: { type: 'string', default: '2' },
    parallel: { type: 'string', default: '60' },
    only: { type: 'string', multiple: true, default: [''] },
    show: { type: 'boolean', default: false },
    prepare: { type: 'boolean', default: false },
  },
});
const [kubeconfig, name] = positionals;
const operator = OPERATORS.find((each) => each === name);
if (kubeconfig === undefined || operator === undefined || (values.commit === '' && !values.prepare)) {
  process.stderr.write(USAGE);
  process.exit(2);
}
await serveClusterApi(kubeconfig);
if (values.prepare) process.exit(0);

/** Longer than the waits of upstream’s controllers, 30 s. */
const MANNER = { quietMs: 45_000, patienceMs: 120_000 };

const all = readStories(operator);
const stories = all.filter(
  ({ story, settings }) => settings === values.settings && values.only.some((text) => story.includes(text)),
);
const kube = connectKube(kubeconfig);
const watch = await watchStories(kube);
const stopping = new AbortController();
const living = liveAsHosts(kube, stopping.signal);
const played = new Set(stories.map(({ story }) => story));
let recordings: readonly Recording[] = [];
let failed = 0;
const queue = new PQueue({ concurrency: Number(values.parallel) });
await queue.addAll(
  Array.from({ length: Number(values.runs) }).flatMap(() => stories.map((story) => () => record(story))),
);
stopping.abort();
await living;
await watch.stop();
await kube.close();

if (!values.show) {
  const order = all.map(({ story }) => story);
  const kept = readRecordings(operator).recordings.filter(({ story }) => order.includes(story) && !played.has(story));
  const header = {
    upstream: `metal3-io/${operator}`,
    commit: values.commit,
    runs: values.runs,
    recorded: new Date().toISOString().slice(0, 10),
  };
  writeRecordings(
    operator,
    header,
    [...kept, ...recordings].toSorted((a, b) => order.indexOf(a.story) - order.indexOf(b.story) || b.runs - a.runs),
  );
} else for (const recording of recordings) process.stdout.write(`${JSON.stringify(recording)}\n`);
process.exitCode = failed === 0 ? 0 : 1;

async function record(story: Story): Promise<void> {
  const namespace = `story-${randomBytes(4).toString('hex')}`;
  const began = Date.now();
  try {
    await kube.request({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: namespace } } });
    const stage = { kube, kubeconfig: kubeconfig as string, namespace };
    const timeline = await play(story, stage, watch.of(namespace), MANNER);
    recordings = counted(recordings, story.story, timeline);
    say(`${story.story}: ${Math.round((Date.now() - began) / 1000)} s`);
  } catch (error) {
    failed += 1;
    say(`FAILED ${story.story} (${namespace}): ${String(error)}`);
  }
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
