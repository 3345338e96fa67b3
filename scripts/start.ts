import { Command, InvalidArgumentError, Option } from 'commander';
import { exampleClusterHosts, machinesBeside } from '../lab/clusters/examples.ts';
import { tellCluster } from '../lab/clusters/story.ts';
import { EXAMPLES } from '../lab/hosts/examples.ts';
import { followHosts } from '../lab/hosts/follow.ts';
import { tellHosts } from '../lab/hosts/story.ts';
import { type FixtureLab, type Lab, labSteps, startLab } from '../lab/lab.ts';
import { interruptSignal } from '../lab/terminal/interrupt.ts';
import { openLive } from '../lab/terminal/live.ts';
import { withProgressList } from '../lab/terminal/progress-list.ts';
import { WHY_HASHES_ARE_CACHED, whereItIs } from '../lab/terminal/words.ts';

interface StartOptions {
  readonly once: boolean;
  readonly story?: StoryName;
  readonly hosts?: number;
  readonly timeout: number;
  readonly dir: string;
  readonly file: string;
  readonly machinesFile?: string;
  readonly provisioner: 'ironic' | 'fixture';
}

type StoryName = 'hosts' | 'cluster';
const options = new Command('npm start --')
  .description('Starts the lab and plays its stories: hosts, then a cluster on hosts of its own.')
  .option(
    '--once',
    'end after the stories: exit code 0, or 1 when a host or the cluster is not in its desired state',
    false,
  )
  .addOption(
    new Option('--story <name>', 'only this story; the hosts need no Cluster API').choices(['hosts', 'cluster']),
  )
  .option('--hosts <n>', 'this number of hosts (and of machines) instead of the five of the example', wholeNumber)
  .option('--timeout <seconds>', 'with --once: time limit of each story', wholeNumber, 900)
  .option('--file <yaml>', 'the hosts to apply, with the preferred ports', EXAMPLES)
  .option('--machines-file <yaml>', 'file with machines that differ from the pattern, for example in their failures')
  .addOption(
    new Option('--provisioner <kind>', 'the fixture: simulated hosts without Ironic and machines')
      .choices(['ironic', 'fixture'])
      .default('ironic'),
  )
  .option('--dir <folder>', 'folder of the lab', '.lab')
  .parse()
  .opts<StartOptions>();

const exitCode = await main(options).catch((error: unknown) => {
  say(`\n${error instanceof Error ? error.message : String(error)}`);
  return 1;
});
// Ends a download or a compiler that still runs after an interrupt.
process.exit(exitCode);

async function main(given: StartOptions): Promise<number> {
  const stories = storiesOf(given);
  const interrupt = interruptSignal();
  const notes = { write: say };
  if (given.provisioner === 'ironic') say(`${WHY_HASHES_ARE_CACHED}\n`);
  const lab = await startedLab(given, { stories, interrupt, note: (line) => notes.write(line) });
  const live = openLive(process.stdout);
  const failures: string[] = [];
  try {
    notes.write = live.note;
    live.note(whereItIs(lab.endpoints));
    const hosts = await followHosts(live, lab.endpoints.kubeconfig);
    for (const story of stories) {
      const deadline = given.once ? AbortSignal.timeout(given.timeout * 1_000) : undefined;
      const signal = deadline === undefined ? interrupt : AbortSignal.any([interrupt, deadline]);
      const told =
        story === 'cluster' && hasMachines(lab)
          ? await tellCluster(lab, { live, signal })
          : await tellHosts(
              { ...lab, machines: machinesBeside(lab.machines) },
              { live, hosts, signal },
              { file: given.file, count: given.hosts },
            );
      if (interrupt.aborted) return 130;
      failures.push(...told, ...(deadline?.aborted === true ? [`that was after ${given.timeout} s`] : []));
      if (given.once && failures.length > 0) break;
    }
    if (given.once) return failures.length === 0 ? 0 : 1;
    await live.until(() => false, interrupt);
    return 130;
  } finally {
    notes.write = say;
    live.end();
    failures.forEach(say);
    say('ending the lab; its state stays in its folder for the next start');
    await lab.stop();
  }
}

/** The stories in their order. The fixture's hosts have no machines that could become Nodes. */
function storiesOf({ story, provisioner }: StartOptions): readonly StoryName[] {
  if (provisioner === 'ironic') return story === undefined ? ['hosts', 'cluster'] : [story];
  if (story === 'cluster')
    throw new Error('the story of the cluster needs machines, which --provisioner fixture does not have');
  return ['hosts'];
}

function hasMachines(lab: Lab | FixtureLab): lab is Lab {
  return 'redfish' in lab.endpoints;
}

async function startedLab(
  { provisioner, dir, hosts = 0, machinesFile }: StartOptions,
  {
    stories,
    interrupt,
    note,
  }: {
    readonly stories: readonly StoryName[];
    readonly interrupt: AbortSignal;
    readonly note: (line: string) => void;
  },
): Promise<Lab | FixtureLab> {
  const clusterApi = stories.includes('cluster');
  const report = (name: string, message: string): void => note(`${name}: ${message}`);
  return withProgressList(labSteps({ provisioner, clusterApi }), (onProgress): Promise<Lab | FixtureLab> => {
    const common = { dir, clusterApi, restart: true, onProgress, signal: interrupt, report };
    if (provisioner === 'fixture') return startLab({ ...common, provisioner });
    const machines = Math.max(20, hosts + exampleClusterHosts().length);
    return startLab({ ...common, machines, ...(machinesFile === undefined ? {} : { machinesFile }) });
  });
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('It must be a whole number above zero.');
  return Number(text);
}
