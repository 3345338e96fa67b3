import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { leaseCollection } from '../../kube/paths.ts';
import { createObject, withKube } from '../../lab/control-plane/objects.ts';
import { startLab } from '../../lab/lab.ts';
import { grantRights, HOME } from '../../lab/rights.ts';
import { createAuthority, DAY_MS, issueCertificate } from '../../platform/tls/certificates.ts';
import type { Figures } from '../compared.ts';
import { commitOf, computerFacts, versions } from '../computer.ts';
import { type Bench, wholeNumber } from '../options.ts';
import { commandOnce, type Servers, startOnce } from './measure.ts';
import { startsReport } from './report.ts';
import { layTree, PROCESSES, type Tree } from './tree.ts';

interface Options {
  readonly rounds: number;
  readonly other?: string;
  readonly dir?: string;
}

interface Side {
  readonly name: string;
  readonly root: string;
  readonly tree: Tree;
  readonly measured: Figures[];
}

/** The first loads nearly nothing; the second all that it needs to explain a host. */
const COMMANDS = [['--help'], ['explain', '--help']] as const;

const HERE = fileURLToPath(new URL('../..', import.meta.url));

/** What bridge, workers and the command line cost before they work. */
export function addStartsCommand(program: Command, { interrupt, say, inFolder }: Bench): void {
  program
    .command('starts')
    .description(
      'The CPU time of a start of the bridge, of the workers and of `temper`, as their image and npx start them.',
    )
    .option('--other <checkout>', 'another checkout, with its packages installed, whose starts take turns with these')
    .option('--rounds <n>', 'starts of each', wholeNumber, 5)
    .option('--dir <folder>', 'folder of the lab and of the programs, which is kept; default: a temporary folder')
    .action((options: Options) => inFolder(options.dir, (dir) => bench(dir, options)));

  async function bench(dir: string, { rounds, other }: Options): Promise<void> {
    const machine = computerFacts();
    const sideOf = async (name: string, root: string): Promise<Side> => {
      say(`${name}: laying out the programs of ${root}`);
      return { name, root, tree: await layTree(root, join(dir, name)), measured: [] };
    };
    const here = await sideOf('here', HERE);
    const there = other === undefined ? undefined : await sideOf('other', resolve(other));
    const lab = await startLab({ dir: join(dir, 'lab'), provisioner: 'fixture', temper: false, signal: interrupt });
    try {
      const { kubeconfig, temporalAddress, temporalNamespace } = lab.endpoints;
      const servers = {
        kubeconfigs: await grantRights(kubeconfig, lab.dir),
        temporalAddress,
        temporalNamespace,
        certificates: await writeCertificate(join(dir, 'certificate')),
      };
      await withKube(kubeconfig, (kube) => createObject(kube, leaseCollection(HOME), HELD_LEASE));
      const sides = [here, ...(there === undefined ? [] : [there])];
      // Reads all files, and fills the cache of the command line.
      for (const side of sides) await measure(side, servers);
      for (let round = 1; round <= rounds; round++)
        for (const side of round % 2 === 1 ? sides : sides.toReversed()) {
          say(`round ${round}, ${side.name}`);
          side.measured.push(await measure(side, servers));
        }
    } finally {
      await lab.stop();
    }
    const result = {
      date: new Date().toISOString(),
      machine,
      versions: { ...(await versions()), ...(there !== undefined && { other: await commitOf(there.root) }) },
      here: here.measured,
      other: there?.measured ?? [],
    };
    process.stdout.write(`${startsReport(result)}\n`);
  }

  async function measure({ root, tree }: Side, servers: Servers): Promise<Figures> {
    const figures = new Map<string, number>();
    for (const name of PROCESSES) {
      const { alive, ready } = await startOnce(tree, name, servers, interrupt);
      figures.set(`${name}, until /healthz`, alive * 1_000).set(`${name}, until /readyz`, ready * 1_000);
    }
    for (const words of COMMANDS)
      figures.set(`temper ${words.join(' ')}`, (await commandOnce(root, words, interrupt)) * 1_000);
    return figures;
  }
}

/** In the files of a Secret of kind `tls`, as cert-manager writes them. */
async function writeCertificate(folder: string): Promise<string> {
  const order = { subject: 'CN=webhooks', usages: ['serverAuth'], names: ['127.0.0.1'], lifetimeMs: DAY_MS } as const;
  const { cert, key } = await issueCertificate(await createAuthority('CN=bench', DAY_MS), order);
  await mkdir(folder);
  await writeFile(join(folder, 'tls.crt'), cert);
  await writeFile(join(folder, 'tls.key'), key);
  return folder;
}

/** The Lease of active bridges, held for a day: each bridge that starts is one more beside an active one. */
const HELD_LEASE = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { namespace: HOME, name: 'baremetal-operator' },
  spec: { holderIdentity: 'bench', leaseDurationSeconds: 86_400 },
};
