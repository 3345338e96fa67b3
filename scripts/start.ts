import { Command, InvalidArgumentError, Option } from 'commander';
import { createMissing } from '../lab/hosts/apply.ts';
import { EXAMPLES, exampleHosts, relocations } from '../lab/hosts/examples.ts';
import { followHosts } from '../lab/hosts/follow.ts';
import type { HostProgress } from '../lab/hosts/host-progress.ts';
import { isHost } from '../lab/hosts/manifests.ts';
import { hostTable } from '../lab/hosts/table.ts';
import { type FixtureLab, type Lab, labSteps, startLab } from '../lab/lab.ts';
import { interruptSignal } from '../lab/terminal/interrupt.ts';
import { withProgressList } from '../lab/terminal/progress-list.ts';
import { WHY_HASHES_ARE_CACHED, whatToTry } from '../lab/terminal/words.ts';

interface StartOptions {
  readonly once: boolean;
  readonly hosts?: number;
  readonly timeout: number;
  readonly dir: string;
  readonly file: string;
  readonly machinesFile?: string;
  readonly provisioner: 'ironic' | 'fixture';
}

const options = new Command('npm start --')
  .description('Brings up the lab, applies the example hosts and shows them live.')
  .option('--once', 'end when the hosts are where they should be: exit 0, or 1 when one says it failed', false)
  .option('--hosts <n>', 'this many hosts (and at least 20 machines) instead of the five of the example', wholeNumber)
  .option('--timeout <seconds>', 'with --once: how long the hosts may take', wholeNumber, 900)
  .option('--file <yaml>', 'the hosts to apply, written for the preferred ports', EXAMPLES)
  .option('--machines-file <yaml>', 'machines that differ from the pattern, their failures for example')
  .addOption(
    new Option('--provisioner <kind>', 'the fixture goes through the motions, without Ironic and machines')
      .choices(['ironic', 'fixture'])
      .default('ironic'),
  )
  .option('--dir <folder>', 'where the lab keeps everything', '.lab')
  .parse()
  .opts<StartOptions>();

const exitCode = await main(options).catch((error: unknown) => {
  say(`\n${error instanceof Error ? error.message : String(error)}`);
  return 1;
});
// A download or a compiler that an interrupt left behind ends here.
process.exit(exitCode);

async function main({
  once,
  hosts: count,
  timeout,
  dir,
  file,
  machinesFile,
  provisioner,
}: StartOptions): Promise<number> {
  const interrupt = interruptSignal();
  const notes = { write: say };
  if (provisioner === 'ironic') say(`${WHY_HASHES_ARE_CACHED}\n`);
  const lab = await withProgressList(labSteps({ provisioner }), (onProgress): Promise<Lab | FixtureLab> => {
    const report = (name: string, message: string): void => notes.write(`${name}: ${message}`);
    const common = { dir, restart: true, onProgress, signal: interrupt, report };
    if (provisioner === 'fixture') return startLab({ ...common, provisioner });
    const machines = Math.max(20, count ?? 0);
    return startLab({ ...common, machines, ...(machinesFile === undefined ? {} : { machinesFile }) });
  });
  try {
    const names = await applyHosts(lab, { file, count });
    say(whatToTry(lab.endpoints));
    const deadline = once ? AbortSignal.timeout(timeout * 1_000) : undefined;
    const following = await followHosts({
      kubeconfig: lab.endpoints.kubeconfig,
      ...(once ? { untilSettled: names } : {}),
      signal: deadline === undefined ? interrupt : AbortSignal.any([interrupt, deadline]),
    });
    notes.write = following.note;
    const hosts = await following.end;
    notes.write = say;
    if (interrupt.aborted) return 130;
    return summarise(
      hosts.filter(({ name }) => names.includes(name)),
      deadline?.aborted === true ? timeout : undefined,
    );
  } finally {
    say('ending the lab; what it knows stays in its folder for the next start');
    await lab.stop();
  }
}

async function applyHosts(
  lab: Lab | FixtureLab,
  hosts: { readonly file: string; readonly count: number | undefined },
): Promise<readonly string[]> {
  for (const { from, to } of relocations(lab.endpoints)) {
    say(`${from} of ${hosts.file} was taken: the hosts are applied with ${to}`);
  }
  const manifests = exampleHosts(lab, hosts);
  await createMissing(lab.endpoints.kubeconfig, manifests);
  return manifests.filter(isHost).map(({ metadata }) => metadata.name);
}

function summarise(hosts: readonly HostProgress[], timedOutAfter: number | undefined): number {
  say(`\n${hostTable(hosts, { width: process.stdout.columns })}`);
  const failing = hosts.filter((host) => !host.isThere);
  for (const { name, error, state, wanted } of failing) {
    const late = `still ${state === '' ? 'without a state' : state} after ${timedOutAfter} s, not ${wanted}`;
    say(`${name}: ${error ?? late}`);
  }
  return failing.length === 0 ? 0 : 1;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('It has to be a whole number above zero.');
  return Number(text);
}
