import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { auditedRequests } from '../../lab/control-plane/audit.ts';
import { compare } from './compare.ts';
import { granted } from './granted.ts';
import { UNSEEN } from './unseen.ts';

/** How the roles of deploy/kubernetes differ from what bridge and workers requested in all audit logs of a folder. */
export async function differencesIn(folder: string): Promise<readonly string[]> {
  const comparison = compare(granted(), UNSEEN);
  for (const file of await readdir(folder))
    for await (const request of auditedRequests(join(folder, file))) comparison.add(request);
  return comparison.differences();
}
