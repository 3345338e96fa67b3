import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordCommands } from '../../scripts/documented/ran.ts';
import { linkCheckout } from '../e2e/support/checkout.ts';
import { aFixtureLab, fixtureHost, type TestFixtureLab } from '../e2e/support/fixture.ts';
import { kubectl } from '../e2e/support/hosts.ts';
import { ROOT } from '../e2e/support/start.ts';
import { blockOf, createShell } from '../e2e/support/versions/procedure.ts';

/** The plugin of kubectl, packaged and installed with the commands of docs/command-line.md by the real krew. */
const PAGE = 'docs/command-line.md';
/** The newest that the Go module proxy has. Newer ones are on GitHub alone. */
const KREW = 'sigs.k8s.io/krew/cmd/krew@v0.4.3';
const record = recordCommands('test/nightly/krew.test.ts');
let folder: string;
let lab: TestFixtureLab;
let run: (commands: string) => Promise<string>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temper-krew-'));
  lab = await aFixtureLab({ temper: false });
  const checkout = await linkCheckout(ROOT, folder);
  const shell = await createShell(folder, lab.endpoints);
  const krew = join(folder, 'krew');
  const path = [join(krew, 'bin'), join(folder, 'bin'), dirname(process.execPath), process.env['PATH']].join(delimiter);
  run = record.shell((commands) => shell(`cd '${checkout}'\n${commands}`, { KREW_ROOT: krew, PATH: path }));
});
afterAll(async () => {
  await lab?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

/** Builds krew, which kubectl finds by its name. */
async function buildKrew(): Promise<void> {
  const built = join(folder, 'built');
  await mkdir(built);
  await execa('go', ['install', KREW], { env: { GOBIN: built, GOFLAGS: '-mod=mod', GOWORK: 'off', CGO_ENABLED: '0' } });
  await symlink(join(built, 'krew'), join(folder, 'bin', 'kubectl-krew'));
}

test('krew installs the packaged plugin from its manifest and its archive, and kubectl runs it', async () => {
  await buildKrew();
  const { metadata, ...host } = fixtureHost('node-1') as { readonly metadata: object };
  await kubectl(lab, ['create', 'namespace', 'metal']);
  const input = JSON.stringify({ ...host, metadata: { ...metadata, namespace: 'metal' } });
  await kubectl(lab, ['apply', '-f', '-'], { input });
  expect(await run('npm run package -- --image registry.example.com/temper:1.14.99')).toContain('dist/krew');

  const printed = await run(await blockOf(PAGE, 'kubectl krew install'));

  expect(printed).toContain('Installed plugin: temper');
  expect(printed).toContain('BareMetalHost metal/node-1: ');
  expect(await run('kubectl plugin list')).toContain(join(folder, 'krew', 'bin', 'kubectl-temper'));
  const help = await run('kubectl temper --help');
  expect(help).toContain('  explain ');
  expect(help).not.toContain('  lab ');
});
