import type { AuditedRequest } from '../../lab/control-plane/audit.ts';
import { HOME } from '../../lab/rights.ts';
import type { Grant } from './granted.ts';

/** A right that no test uses, and why an installation has it nevertheless. */
export interface Unseen extends Pick<Grant, 'account' | 'group' | 'resource' | 'verb'> {
  readonly why: string;
  /** Only a race leads to this request, so that a test may or may not need it. */
  readonly isRare?: true;
  /** A nightly test needs it. */
  readonly isOfNight?: true;
}

/** Compares what accounts have requested with what their roles give them. */
export interface Comparison {
  add(request: AuditedRequest): void;
  /** In words: rights that no test used, and requests without a right. Call it after all tests of `npm test`. */
  differences(): readonly string[];
  /** In words: requests without a right. May be called after any tests. */
  refusals(): readonly string[];
  /** In words: rights that are given for nightly tests and that none of them used. Call it after all nightly tests. */
  unusedAtNight(): readonly string[];
}

/** Our accounts have other names in clusterctl's namespaces, where they have the same rights, or some of them. */
const CLUSTERCTL = ['capm3-system', 'metal3-ipam-system'];
const SAME: Readonly<Record<string, string>> = {
  'system:serviceaccount:capm3-system:capm3-manager': 'temper-bridge',
  'system:serviceaccount:capm3-system:capm3-workers': 'temper-workers',
  'system:serviceaccount:metal3-ipam-system:ipam-temper-bridge': 'temper-bridge',
  'system:serviceaccount:metal3-ipam-system:ipam-temper-workers': 'temper-workers',
};
const OURS = `system:serviceaccount:${HOME}:`;

export function compare(grants: readonly Grant[], unseen: readonly Unseen[]): Comparison {
  const accounts = new Set(grants.map(({ account }) => account));
  const used = new Set<Grant>();
  const refused = new Map<string, AuditedRequest>();
  const refusals = (): readonly string[] =>
    [...refused].map(([words, { path }]) => `${words}: no role allows it (${path})`);
  return {
    refusals,
    unusedAtNight: () =>
      unseen
        .filter((each) => each.isOfNight && ![...used].some((one) => inWords(each) === inWords(one)))
        .map((each) => `${inWords(each)}: is given for a test of the night, and no test needs it`),
    add(request) {
      const account = SAME[request.user] ?? request.user.replace(OURS, '');
      if (!accounts.has(account)) return;
      const allowing = grants.filter((one) => allows(one, account, request));
      // An API server that has just started refuses everything until it has read the roles.
      if (request.isForbidden && allowing.length === 0) refused.set(inWords({ ...request, account }), request);
      for (const grant of narrowest(allowing)) used.add(grant);
    },
    differences() {
      const unused = grants.filter((one) => !used.has(one));
      return [
        ...refusals(),
        ...unused
          .filter((one) => !unseen.some((each) => inWords(each) === inWords(one)))
          .map((one) => `${inWords(one)}: ${one.role} allows it, and no test needs it`),
        ...unseen
          .filter((each) => each.isRare !== true && !unused.some((one) => inWords(each) === inWords(one)))
          .map((each) => `${inWords(each)}: is needed by a test, or allowed by no role, so it is no exception`),
      ];
    },
  };
}

const inWords = ({ account, verb, resource, group }: Omit<Unseen, 'why' | 'isRare'>): string =>
  `${account}: ${verb} ${resource}${group === '' ? '' : ` of ${group}`}`;

function allows(grant: Grant, account: string, request: AuditedRequest): boolean {
  const namespace = CLUSTERCTL.includes(request.namespace ?? '') ? HOME : request.namespace;
  return (
    grant.account === account &&
    grant.verb === request.verb &&
    grant.group === request.group &&
    (grant.resource === '*' || grant.resource === request.resource) &&
    (grant.namespace === undefined || grant.namespace === namespace) &&
    (grant.names === undefined || grant.names.includes(request.name))
  );
}

/**
 * Among several rights that allow a request, the rights for the fewest objects: the request does not need the others.
 */
function narrowest(grants: readonly Grant[]): readonly Grant[] {
  const breadth = ({ namespace, names }: Grant): number =>
    (namespace === undefined ? 2 : 0) + (names === undefined ? 1 : 0);
  const least = Math.min(...grants.map(breadth));
  return grants.filter((one) => breadth(one) === least);
}
