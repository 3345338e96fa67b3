import type { Health } from '../../platform/health/serve-health.ts';

/** A bridge without leader election is a leader, too. */
export type Role = 'starting' | 'standby' | 'leader';

interface Readiness {
  become(role: Role): void;
  /** `lacks`: what keeps the bridge from working as the leader, in words. */
  judge(lacks: readonly string[]): Health;
}

/**
 * Whether a bridge is ready, apart from its webhooks, which every bridge must serve.
 *
 * Kubernetes reads one answer for two things: it ends a rollout when Pods are ready, and it sends webhooks to ready Pods
 * alone. Without a ready Pod, the API server refuses every write of a host. So:
 *
 * - A standby is ready once it can take over: the API server has shown it the Lease. Temporal is not asked, so that a
 *   standby answers webhooks when all bridges were started while Temporal is away.
 * - A leader is ready once it has worked: Temporal answered, all kinds were listed, views are published. An
 *   installation with a wrong address of Temporal does not succeed. In a rollout beside a leader, new bridges are
 *   standbys: there, the next leader shows it.
 * - From then on, what is missing is a warning: no write of a host needs Temporal to be accepted.
 */
export function createReadiness(): Readiness {
  let role: Role = 'starting';
  let hasWorked = false;
  return {
    become: (next) => void (role = next),
    judge(lacks) {
      if (role === 'starting') return { missing: ['the API server has not shown the Lease yet'], warnings: [] };
      if (role === 'standby') return { missing: [], warnings: [] };
      hasWorked ||= lacks.length === 0;
      return hasWorked ? { missing: [], warnings: lacks } : { missing: lacks, warnings: [] };
    },
  };
}
