import { auditedRequests, auditLogOf } from '../../../lab/control-plane/audit.ts';
import { ACCOUNTS, HOME } from '../../../lab/rights.ts';

/** The accounts of bridge and workers that requested nothing: then the process has run with other rights than its role's. */
export async function silentAccounts(dir: string): Promise<readonly string[]> {
  const silent = new Set(Object.values(ACCOUNTS).map((name) => `system:serviceaccount:${HOME}:${name}`));
  for await (const { user } of auditedRequests(auditLogOf(dir))) {
    silent.delete(user);
    if (silent.size === 0) break;
  }
  return [...silent];
}
