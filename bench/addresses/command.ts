import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { connectKube } from '../../kube/client.ts';
import { computerFacts, versions } from '../computer.ts';
import type { MeasuredServices } from '../cpu.ts';
import { inFleetLab } from '../fleet/fleet-lab.ts';
import { type Bench, wholeNumber } from '../options.ts';
import { heading } from '../report.ts';
import { allocate } from './allocate.ts';
import { withClaims } from './claims.ts';
import { addressesReport, upstreamReport } from './report.ts';

interface Options {
  readonly claims: number;
  readonly dir?: string;
  readonly kubeconfig?: string;
  readonly process: Readonly<Record<string, number>>;
}

const HERE = fileURLToPath(new URL('../..', import.meta.url));

const processOption = (text: string, before: Readonly<Record<string, number>>): Readonly<Record<string, number>> => {
  const [name = '', pid = ''] = text.split('=');
  return { ...before, [name]: wholeNumber(pid) };
};

/** Many claims of one pool, at once and in a stream with releases. */
export function addAddressesCommand(program: Command, { interrupt, say, inFolder }: Bench): void {
  program
    .command('addresses')
    .description(
      'The cost of many claims of one IPPool: seconds, CPU by process, memory; and whether each address is given once.',
    )
    .option('--claims <n>', 'number of claims at the same time', wholeNumber, 10_000)
    .option('--dir <folder>', 'folder of the lab, which is kept; default: a temporary folder')
    .option('--kubeconfig <file>', 'an API server on which another controller serves the pools, instead of a lab')
    .option('--process <name=pid>', 'a process to measure there; may be repeated', processOption, {})
    .action((options: Options) =>
      inFolder(options.dir, async (dir) => {
        const machine = computerFacts();
        const measure = async (kubeconfig: string, services: MeasuredServices): Promise<void> => {
          const kube = connectKube(kubeconfig);
          try {
            const result = await withClaims(kube, (claims) =>
              allocate(claims, services, { count: options.claims, say }),
            );
            const title = `${options.claims} claims of one pool\n${heading(machine, await versions())}`;
            process.stdout.write(`${title}\n\n${addressesReport(result)}\n\n${upstreamReport()}\n`);
          } finally {
            await kube.close();
          }
        };
        if (options.kubeconfig === undefined)
          return inFleetLab({ root: HERE, dir }, interrupt, (lab) => measure(lab.kubeconfig, lab));
        const pids = options.process;
        return measure(options.kubeconfig, { services: () => Object.keys(pids), pidOf: (name) => pids[name] });
      }),
    );
}
