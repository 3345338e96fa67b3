import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectKube } from '../kube/client.ts';
import { startLab } from '../lab/lab.ts';
import { openSession } from '../lab/supervisor/session.ts';
import { startOperators } from '../lab/upstream/operators.ts';
import { pack } from '../test/nightly/take-over/archive.ts';
import { withoutDescriptions } from '../test/nightly/take-over/definitions.ts';
import { storedObjects, traces } from '../test/nightly/take-over/stored.ts';
import { MACHINES, playHosts } from '../test/nightly/take-over/story.ts';

const USAGE = `Usage: node scripts/record-take-over.ts OPERATORS FOLDER

Lets the operators of Metal3 that lab/upstream/build.sh has built in OPERATORS bring up hosts and a cluster in a lab, stops
them, and keeps what they leave as the record of test/nightly/take-over.test.ts. FOLDER is the lab's, and stays.
`;

const [, , operators, folder] = process.argv;
if (operators === undefined || folder === undefined) {
  process.stderr.write(USAGE);
  process.exit(2);
}
const RECORD = fileURLToPath(new URL('../test/nightly/take-over/', import.meta.url));
const say = (line: string): void => void process.stderr.write(`${new Date().toISOString()} ${line}\n`);

const dir = resolve(folder);
await rm(dir, { recursive: true, force: true });
await mkdir(dir, { recursive: true });
const lab = await startLab({
  dir,
  machines: MACHINES,
  proxy: true,
  clusterApi: true,
  temper: false,
  crds: false,
  preferredPorts: false,
  onProgress: ({ kind, step }) => kind === 'done' && say(step),
});
const kube = connectKube(lab.endpoints.kubeconfig);
try {
  const session = await openSession({ dir: join(dir, 'operators'), report: (name, what) => say(`${name} ${what}`) });
  try {
    const { kubeconfig, ...ironic } = lab.endpoints;
    await startOperators(session, { folder: resolve(operators), kubeconfig, ironic });
    say('the operators run');
    await playHosts(lab, kube, say);
  } finally {
    await session.close();
  }
  await withoutDescriptions(kube);
  const lines = traces(await storedObjects(kube));
  await writeFile(join(RECORD, 'traces.txt'), `${lines.join('\n')}\n`);
  await pack(lab, join(RECORD, 'record.tar.br'));
} finally {
  await kube.close();
  await lab.stop();
}
