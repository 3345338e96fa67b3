import { mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';

/** Folders that are not linked, because a start in the linked folder creates its own. */
const OWN: readonly string[] = ['.git', '.lab', 'dist'];

/** A folder `temper` in the given one, of links to a checkout, in which commands run as in one without a lab. */
export async function linkCheckout(root: string, folder: string): Promise<string> {
  const checkout = join(folder, 'temper');
  await mkdir(checkout);
  const names = (await readdir(root)).filter((name) => !OWN.includes(name));
  await Promise.all(names.map((name) => symlink(join(root, name), join(checkout, name))));
  return checkout;
}
