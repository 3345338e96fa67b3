import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Kinds of CPU as the head of a program or library (ELF) has them. */
export const ELF_MACHINES = { amd64: 0x3e, arm64: 0xb7 } as const;
const MACHINE_AT = 18;

/** The native modules in a folder that are not built for this architecture. */
export async function foreignModules(
  folder: string,
  architecture: keyof typeof ELF_MACHINES,
): Promise<readonly string[]> {
  const modules = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.node'));
  const machines = await Promise.all(modules.map((file) => machineOf(join(folder, file))));
  return modules.filter((_, index) => machines[index] !== ELF_MACHINES[architecture]);
}

async function machineOf(file: string): Promise<number> {
  const opened = await open(file);
  try {
    const { buffer } = await opened.read(Buffer.alloc(MACHINE_AT + 2), 0, MACHINE_AT + 2, 0);
    return buffer.readUInt16LE(MACHINE_AT);
  } finally {
    await opened.close();
  }
}
