import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import PQueue from 'p-queue';
import { connectKube } from '../kube/client.ts';
import { play } from '../test/differential/baremetal-operator/play.ts';
import { writeRecordings } from '../test/differential/baremetal-operator/recordings.ts';
import { readStories, type Story } from '../test/differential/baremetal-operator/story.ts';
import { timelineOf } from '../test/differential/baremetal-operator/timeline.ts';
import { counted, type Recording } from '../test/differential/recordings.ts';

const USAGE = `Usage: node scripts/record-stories.ts KUBECONFIG --operator COMMAND --commit COMMIT [--runs 2] [--parallel 4] [--only TEXT]

Plays the stories of test/differential/baremetal-operator/stories with baremetal-operator and records the results in
test/differential/baremetal-operator/recorded/. Each run of a story has its own namespace and operator: a shell runs COMMAND with
KUBECONFIG and WATCH_NAMESPACE in its environment, and ends it after the story. The API server must serve
baremetal-operator's CRDs and be disposable: nothing is cleaned up. With --only, stories whose title
contains TEXT are played and shown, and nothing is recorded.
`;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    operator: { type: 'string' },
    commit: { type: 'string' },
    runs: { type: 'string', default: '2' },
    parallel: { type: 'string', default: '4' },
    only: { type: 'string' },
  },
});
const [kubeconfig] = positionals;
const { operator, commit } = values;
if (kubeconfig === undefined || operator === undefined || commit === undefined) {
  process.stderr.write(USAGE);
  process.exit(2);
}

/** Longer than the delays of the fixture provisioner, 10 s at most. */
const PATIENCE = { quietMs: 5_000, patienceMs: 150_000 };

const stories = readStories().filter(({ story }) => story.includes(values.only ?? ''));
const kube = connectKube(kubeconfig);
let recordings: readonly Recording[] = [];
let failed = 0;
const queue = new PQueue({ concurrency: Number(values.parallel) });
await queue.addAll(
  Array.from({ length: Number(values.runs) }).flatMap(() => stories.map((story) => () => record(story))),
);
await kube.close();

if (values.only === undefined) {
  const recorded = new Date().toISOString().slice(0, 10);
  const header = {
    upstream: 'metal3-io/baremetal-operator',
    commit,
    provisioner: 'fixture',
    runs: values.runs,
    recorded,
  };
  const order = stories.map(({ story }) => story);
  writeRecordings(
    header,
    recordings.toSorted((a, b) => order.indexOf(a.story) - order.indexOf(b.story) || b.runs - a.runs),
  );
} else for (const recording of recordings) process.stdout.write(`${JSON.stringify(recording)}\n`);
process.exitCode = failed === 0 ? 0 : 1;

async function record(story: Story): Promise<void> {
  const namespace = `story-${randomBytes(4).toString('hex')}`;
  const began = Date.now();
  await kube.request({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: namespace } } });
  const env = { KUBECONFIG: kubeconfig, WATCH_NAMESPACE: namespace };
  const start = () => execa(`exec ${operator}`, { shell: true, env, reject: false, stdio: 'ignore' });
  let running = start();
  const end = async (): Promise<void> => {
    running.kill();
    await running;
  };
  const restart = async (): Promise<void> => {
    await end();
    running = start();
  };
  try {
    const played = await play(story, { kube, namespace }, { ...PATIENCE, restart });
    recordings = counted(recordings, story.story, timelineOf(played, namespace));
    say(`${story.story}: ${Math.round((Date.now() - began) / 1000)} s`);
  } catch (error) {
    failed += 1;
    say(`FAILED ${story.story} (${namespace}): ${String(error)}`);
  } finally {
    await end();
  }
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
