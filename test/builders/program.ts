import { execa } from 'execa';

/**
 * True when the program is in PATH. Tests that need it are skipped where it is missing, which is said here; `npm run
 * test:nightly` fails instead, so that its results say what was seen. `what` is not checked without it. The program is
 * run with `option`, which prints its version.
 */
export async function isInstalled(
  program: string,
  debianPackage: string,
  what: string,
  option = '--version',
): Promise<boolean> {
  const { failed } = await execa(program, [option], { reject: false });
  if (!failed) return true;
  const words = `${program} is missing (Debian: apt-get install ${debianPackage}): ${what} is not checked`;
  if (process.env['TEMPER_NIGHT'] === 'true') throw new Error(words);
  process.stdout.write(`${words}\n`);
  return false;
}
