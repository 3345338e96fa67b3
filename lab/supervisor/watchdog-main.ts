import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { endGroup } from './process-group.ts';

/** Standard input ends when the parent dies: the kernel closes the pipe even after SIGKILL. */
const groups = new Set<number>();
let dismissed = false;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

for await (const line of createInterface({ input: process.stdin })) {
  const group = Number(line.slice(1));
  if (line === 'dismissed') dismissed = true;
  else if (line.startsWith('+')) groups.add(group);
  else if (line.startsWith('-')) groups.delete(group);
}

if (!dismissed) {
  await Promise.allSettled([...groups].map((group) => endGroup(group, 'SIGTERM', 5_000)));
  const removeDir = process.argv[2];
  if (removeDir !== undefined) rmSync(removeDir, { recursive: true, force: true });
}
