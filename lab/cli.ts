import { resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { messageOf } from '../domain/message-of.ts';
import { labMachines, machinesText } from './detached/lab-machines.ts';
import { launchLab } from './detached/launch.ts';
import type { UpOptions } from './detached/messages.ts';
import { endLab, labStatus, resetLab } from './detached/running-lab.ts';
import { statusText } from './detached/status-text.ts';
import { labSteps } from './lab.ts';
import { interruptSignal } from './terminal/interrupt.ts';
import { withProgressList } from './terminal/progress-list.ts';
import { WHY_HASHES_ARE_CACHED } from './terminal/words.ts';

const program = new Command('temper').description('Bare-metal hosts as durable workflows.');
const lab = program.command('lab').description('The lab: real servers and simulated machines, on loopback.');
const folder = (): Option => new Option('--dir <folder>', 'folder of the lab').default('.lab');

lab
  .command('up')
  .description('Start the lab and leave it running.')
  .addOption(folder())
  .addOption(
    new Option('--provisioner <kind>', 'the fixture: simulated hosts without Ironic and machines')
      .choices(['ironic', 'fixture'])
      .default('ironic'),
  )
  .option('--hosts <n>', 'number of simulated machines', wholeNumber, 20)
  .option(
    '--fake-hosts <n>',
    "number of hosts on Ironic's fake driver (or the fixture), without a machine",
    wholeNumber,
    0,
  )
  .option('--no-temper', 'without the bridge and the workers')
  .option('--cluster-api', 'with the managers of Cluster API; machines join its clusters as Nodes', false)
  .option('--proxy', 'start a recording proxy in front of Ironic', false)
  .option('--discovery', 'machines that boot without a host are discovered', false)
  .addOption(new Option('--ironic-auth <kind>').choices(['noauth', 'http_basic']).default('noauth'))
  .option('--machines-file <file>', 'file with machines that differ from the pattern, YAML or JSON')
  .action(async (options: UpOptions) => {
    const dir = resolve(options.dir);
    if (options.provisioner === 'ironic') say(`${WHY_HASHES_ARE_CACHED}\n`);
    const interrupt = interruptSignal();
    await withProgressList(labSteps(options), (onProgress) => launchLab({ ...options, dir }, onProgress, interrupt));
    say(`\n${statusText(labStatus(dir))}`);
  });

lab
  .command('down')
  .description('End the lab and keep its folder.')
  .addOption(folder())
  .action(async ({ dir }: { dir: string }) => {
    say((await endLab(resolve(dir))) ? 'the lab has ended' : 'there was no lab running');
  });

lab
  .command('status')
  .description('Endpoints, credential files and processes of the lab.')
  .addOption(folder())
  .addOption(new Option('--output <format>').choices(['text', 'json']).default('text'))
  .action(({ dir, output }: { dir: string; output: 'text' | 'json' }) => {
    const status = labStatus(resolve(dir));
    say(output === 'json' ? JSON.stringify(status, null, 2) : statusText(status));
  });

lab
  .command('machines')
  .description('The simulated machines with the addresses of their BMCs, for BareMetalHosts.')
  .addOption(folder())
  .addOption(new Option('--output <format>').choices(['text', 'json']).default('text'))
  .action(({ dir, output }: { dir: string; output: 'text' | 'json' }) => {
    const machines = labMachines(resolve(dir));
    say(output === 'json' ? JSON.stringify(machines, null, 2) : machinesText(machines));
  });

lab
  .command('reset')
  .description('End the lab and delete its folder.')
  .addOption(folder())
  .action(async ({ dir }: { dir: string }) => {
    await resetLab(resolve(dir));
    say(`${resolve(dir)} is gone`);
  });

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`temper: ${messageOf(error)}\n`);
  process.exitCode = 1;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}
