import { METAL3 } from '../../api/groups.ts';
import type { Kind } from '../../api/kind.ts';

/** How the API server knows a webhook. */
export interface Registered {
  readonly kind: string;
  /** Name of the webhook; refusals begin with it. */
  readonly webhook: string;
  readonly path: string;
}

/** Upstream's names of webhooks have these texts before the kind, but for its first group. */
const PREFIX = { validate: 'validation.', mutate: 'default.' } as const;

export function registered({ kind, apiVersion }: Kind, verb: 'validate' | 'mutate'): Registered {
  const [group = '', version = ''] = apiVersion.split('/');
  const lower = kind.toLowerCase();
  return {
    kind,
    webhook: `${apiVersion === METAL3 ? '' : PREFIX[verb]}${lower}.${group}`,
    path: `/${verb}-${group.replaceAll('.', '-')}-${version}-${lower}`,
  };
}
