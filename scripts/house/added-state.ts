import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';

const NAMES = 'api/baremetalhost/values.ts';

/**
 * The production files in which the compiler asks for something when a provisioning state is added: with its name and
 * nothing else, in a checkout that may be changed. The file with the name is one of them.
 */
export async function filesForState(checkout: string): Promise<readonly string[]> {
  const file = join(checkout, NAMES);
  const text = await readFile(file, 'utf8');
  const added = text.replace(/(export const PROVISIONING_STATES = \[\n)/, "$1  'added for a measurement',\n");
  if (added === text) throw new Error(`${NAMES} has no list PROVISIONING_STATES`);
  await writeFile(file, added);
  const { all } = await execa('tsc', ['--noEmit', '--pretty', 'false', '-p', '.'], {
    cwd: checkout,
    preferLocal: true,
    all: true,
    reject: false,
  });
  const found = all.match(/^[\w./-]+\.ts(?=\(\d+,\d+\): error)/gm) ?? [];
  return [...new Set([NAMES, ...found])]
    .filter((each) => !/\.test\.ts$|^(?:test|scripts|lab|bench)\//.test(each))
    .toSorted();
}
