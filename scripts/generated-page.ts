import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** Writes `docs/<name>.md`; with `--check` on the command line it only fails when the page differs. */
export async function putPage(name: string, text: string): Promise<void> {
  const file = fileURLToPath(new URL(`../docs/${name}.md`, import.meta.url));
  if (!process.argv.includes('--check')) return writeFile(file, text);
  const current = await readFile(file, 'utf8').catch(() => '');
  if (current === text) return;
  process.stderr.write(`docs/${name}.md is out of date: run \`npm run ${name}\`\n`);
  process.exitCode = 1;
}
