import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type Checkout, inCheckoutLab } from '../checkout-lab.ts';
import { commitOf, computerFacts, versions } from '../computer.ts';
import type { FloorOptions } from '../floor-rounds.ts';
import type { Bench } from '../options.ts';
import { runTemper } from '../temper-life.ts';
import type { IronicLife } from './figures.ts';
import { countNodeReads } from './node-reads.ts';
import type { CheckoutsResult } from './report.ts';

const HERE = fileURLToPath(new URL('../..', import.meta.url));

const endpointsSchema = z.object({
  kubeconfig: z.string(),
  proxyControl: z.string(),
  testImage: z.object({ url: z.string(), checksum: z.string(), checksumType: z.literal('sha256') }),
  bmc: z.object({ username: z.string(), password: z.string() }),
});
const machinesSchema = z.array(z.object({ name: z.string(), bmcAddress: z.string(), bootMACAddress: z.string() }));

type Run = FloorOptions & { readonly other: string } & Pick<Bench, 'interrupt' | 'say'>;

/** The life on real Ironic of this checkout and of another one, which take turns in being first. */
export async function benchBesideOther(dir: string, options: Run): Promise<CheckoutsResult> {
  const { hosts, rounds, say } = options;
  const other = resolve(options.other);
  const machine = computerFacts();
  const here: IronicLife[] = [];
  const there: IronicLife[] = [];
  for (let round = 1; round <= rounds; round++) {
    const sides = [
      { name: 'here', root: HERE, lives: here },
      { name: 'other', root: other, lives: there },
    ];
    for (const { name, root, lives } of round % 2 === 1 ? sides : sides.toReversed()) {
      say(`round ${round}, ${name}: ${root}`);
      lives.push(await lifeOf({ root, dir: join(dir, `round-${round}-${name}`) }, options));
    }
  }
  return {
    date: new Date().toISOString(),
    hosts,
    machine,
    versions: { ...(await versions()), other: await commitOf(other) },
    here,
    other: there,
  };
}

/** A life in a new lab, after that of one host, which loads everything. */
const lifeOf = (checkout: Checkout, { hosts, online, interrupt, say }: Run): Promise<IronicLife> =>
  inCheckoutLab(checkout, ['--hosts', `${hosts + 1}`, '--proxy'], interrupt, async (found) => {
    const lab = { ...found, endpoints: endpointsSchema.parse(found.endpoints) };
    const machines = machinesSchema.parse(JSON.parse(await found.temper('machines', '--output', 'json')));
    const common = { lab, idle: 0, changes: 0, onlineWhenParked: online };
    await runTemper({ ...common, machines: machines.slice(hosts), say: () => undefined });
    const { life, trace } = await runTemper({ ...common, machines: machines.slice(0, hosts), say });
    return { ...life, nodeReads: countNodeReads(trace.requests) };
  });
