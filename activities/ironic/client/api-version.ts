import { IronicError } from './errors.ts';

/** Minor versions of Ironic's API v1 with features that we use, newest first. */
const KNOWN = [110, 109, 95, 93, 89] as const;
const OLDEST = 89;

export interface ApiVersion {
  /** Value of the version header. */
  readonly header: string;
  /** The API has `disable_power_off`. */
  readonly canKeepPowerOn: boolean;
  /** The content of virtual drives can be read. */
  readonly canSeeMedia: boolean;
  /** Nodes have a `health`. */
  readonly tellsHealth: boolean;
  /** A deployment that waits for its agent can be aborted. */
  readonly canAbortDeploy: boolean;
}

/** The newest version that both sides support. */
export function chooseVersion(newest: string, base: string): ApiVersion {
  const [major, minor] = newest.split('.').map(Number);
  const highest = major === 1 && minor !== undefined ? minor : 0;
  const chosen = KNOWN.find((known) => known <= highest);
  if (chosen === undefined) {
    const message = `Ironic at ${base} speaks its API up to version '${newest}', 1.${OLDEST} is needed at least`;
    throw new IronicError({ type: 'IronicUnusable', message });
  }
  return {
    header: `1.${chosen}`,
    canKeepPowerOn: chosen >= 95,
    canSeeMedia: chosen >= 93,
    tellsHealth: chosen >= 109,
    canAbortDeploy: chosen >= 110,
  };
}
