import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { recordCommands } from '../../scripts/documented/ran.ts';
import { linkCheckout } from '../e2e/support/checkout.ts';
import { ROOT } from '../e2e/support/start.ts';
import { openTerminal } from '../e2e/support/terminal.ts';
import { blockOf } from '../e2e/support/versions/procedure.ts';

/** Labs in the background, as docs/lab.md and docs/seeds.md start them, each in a checkout of its own. */
const record = recordCommands('test/nightly/lab-pages.test.ts');
let folder: string;
let terminal: ((commands: string) => Promise<string>) | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temper-lab-pages-'));
});
afterEach(async () => {
  await terminal?.('npx temper lab reset');
  terminal = undefined;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function aTerminal(name: string): Promise<(commands: string) => Promise<string>> {
  const own = join(folder, name);
  await mkdir(own);
  terminal = record.shell(await openTerminal(own, await linkCheckout(ROOT, own)));
  return terminal;
}

/** Of the example. */
const HOSTS_PROVISIONED =
  "kubectl wait -n metal3 bmh --all --for=jsonpath='{.status.provisioning.state}'=provisioned --timeout=15m";

test('a controller of other people gets a host without machines, with the commands of docs/lab.md', async () => {
  const run = await aTerminal('fixture');
  const block = await blockOf('docs/lab.md', 'npx temper lab up --provisioner fixture');
  // A watch goes on until Ctrl-C.
  const ended = block.replaceAll(/^(.*--watch)$/gm, 'timeout 5 $1 || [ $? -eq 124 ]');
  expect(ended).toContain('timeout 5');
  expect(await run(ended)).toContain('baremetalhost.metal3.io/host-a created');
  await run("kubectl wait bmh host-a --for=jsonpath='{.status.provisioning.state}'=available --timeout=15m");
});

test('the machine of the first documents gets its host, with the commands of docs/seeds.md', async () => {
  const run = await aTerminal('seeds');
  await run(await blockOf('docs/seeds.md', 'npx temper lab up --cluster-api --machines-file'));
  expect(await run(`export KUBECONFIG=$PWD/.lab/kubeconfig\n${HOSTS_PROVISIONED}`)).toContain('condition met');
});
