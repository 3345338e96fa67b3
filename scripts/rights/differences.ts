import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { auditedRequests } from '../../lab/control-plane/audit.ts';
import { type Comparison, compare } from './compare.ts';
import { granted } from './granted.ts';
import { UNSEEN } from './unseen.ts';

/**
 * The differences between the roles of deploy/kubernetes and the requests of bridge and workers in all audit logs of a
 * folder.
 */
export const differencesIn = async (folder: string): Promise<readonly string[]> =>
  (await comparisonOf(folder)).differences();

/**
 * The same for nightly tests. Rights that they do not need may be needed by `npm test`, so only refused requests count.
 * After all nightly tests, the rights that are given for them count as well.
 */
export async function differencesAtNight(folder: string, isWhole: boolean): Promise<readonly string[]> {
  const comparison = await comparisonOf(folder);
  return [...comparison.refusals(), ...(isWhole ? comparison.unusedAtNight() : [])];
}

async function comparisonOf(folder: string): Promise<Comparison> {
  const comparison = compare(granted(), UNSEEN);
  for (const file of await readdir(folder))
    for await (const request of auditedRequests(join(folder, file))) comparison.add(request);
  return comparison;
}
