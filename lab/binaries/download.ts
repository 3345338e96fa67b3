import { chmod, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { execa } from 'execa';
import type { Download, FileDownload } from './binary.ts';
import { checksumIn } from './checksum-file.ts';
import { programOfImage } from './image.ts';
import { type Transfer, type TransferDeps, withTransfer } from './transfer.ts';

/** Downloads a release, verifies its published checksum and unpacks it; the program is `folder/program`. */
export function downloadProgram(
  download: Download,
  folder: string,
  deps: TransferDeps,
  onProgress: (detail: string) => void,
): Promise<string> {
  return withTransfer(deps, onProgress, async (transfer) => {
    const found =
      'repository' in download
        ? await programOfImage(download, folder, transfer)
        : await unpack(await downloadFile(download, folder, transfer), folder, download.member);
    const program = join(folder, 'program');
    await rename(found, program);
    await chmod(program, 0o755);
    return program;
  });
}

/** Downloads one file of a release into the folder under its own name. */
export async function downloadFile(
  { url, checksumUrl, algorithm }: FileDownload,
  folder: string,
  { get, save }: Transfer,
): Promise<string> {
  const file = join(folder, basename(url));
  const digest = checksumIn(await (await get(checksumUrl)).text(), basename(url));
  if (digest === undefined) throw new Error(`${checksumUrl} has no checksum for ${basename(url)}`);
  await save(url, file, { algorithm, digest });
  return file;
}

async function unpack(file: string, folder: string, member: string | undefined): Promise<string> {
  if (member === undefined) return file;
  // macOS releases are zip files, which its tar can read.
  await execa('tar', ['-xf', file, '-C', folder, member]);
  return join(folder, member);
}
