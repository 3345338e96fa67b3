import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** Writes `docs/<name>.md`, which `npm run <name>` generates. */
export const putPage = (name: string, text: string): Promise<void> => putFile(`docs/${name}.md`, text, name);

/** Writes a generated file; with `--check` on the command line it only fails when the file differs. */
export async function putFile(path: string, text: string, script: string): Promise<void> {
  const file = fileURLToPath(new URL(`../${path}`, import.meta.url));
  if (!process.argv.includes('--check')) return writeFile(file, text);
  const current = await readFile(file, 'utf8').catch(() => '');
  if (current === text) return;
  process.stderr.write(`${path} is out of date: run \`npm run ${script}\`\n`);
  process.exitCode = 1;
}
