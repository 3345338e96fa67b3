import { existsSync } from 'node:fs';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { linkCheckout } from '../test/e2e/support/checkout.ts';
import { type Cast, castOf, replaced } from './recording/cast.ts';
import { framesOf } from './recording/frames.ts';
import { svgOf } from './recording/svg.ts';

/** `npm run recording`: the picture of `npm start` that the README shows, from a run with its programs in the cache. */
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PICTURE = join(ROOT, 'docs', 'images', 'npm-start.svg');
const SIZE = { columns: 110, rows: 38 };
const SPEED = 6;
/** Seconds of the run between two frames. */
const EVERY_S = 1.5;
const LIMIT_BYTES = 300_000;

const { cast: file } = new Command('npm run recording --')
  .description('Runs `npm start -- --once` in a terminal and draws what it shows as docs/images/npm-start.svg.')
  .option('--cast <file>', 'keep what the terminal was told in this file; draw it again if there is one')
  .parse()
  .opts<{ readonly cast?: string }>();

const told = file !== undefined && existsSync(file) ? parsed(await readFile(file, 'utf8')) : await recorded();
if (file !== undefined) await writeFile(file, JSON.stringify(told));
const cast = replaced(told, [
  [ROOT, '~/temper/'],
  [homedir(), '~'],
]);
const svg = svgOf(await framesOf(cast, EVERY_S), {
  ...SIZE,
  title: `npm start, ${SPEED} times as fast: hosts are registered, inspected and provisioned; then a cluster is created on four more, and one of its workers is remediated`,
  speed: SPEED,
  endS: 8,
});
const secret = [homedir(), tmpdir(), ROOT].find((path) => svg.includes(path));
if (secret !== undefined) throw new Error(`the picture shows the path ${secret} of this computer`);
if (Buffer.byteLength(svg) > LIMIT_BYTES) throw new Error(`the picture has ${Buffer.byteLength(svg)} bytes`);
await writeFile(PICTURE, svg);
process.stdout.write(`${PICTURE}: ${Math.ceil(Buffer.byteLength(svg) / 1_000)} kB\n`);

/** The output, with paths replaced so that the picture shows a folder `temper` in a home folder. */
async function recorded(): Promise<Cast> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'temper-recording-')));
  try {
    const cwd = await linkCheckout(ROOT, folder);
    return replaced(await castOf('npm start --silent -- --once', { cwd, ...SIZE }), [[folder, '~']]);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function parsed(text: string): Cast {
  return JSON.parse(text) as Cast;
}
