import { IronicError } from './errors.ts';

/** Minor versions of Ironic's API v1 that bring something used here, newest first. */
const KNOWN = [110, 109, 95, 93, 89] as const;
const OLDEST = 89;

export interface ApiVersion {
  /** As sent in the header. */
  readonly header: string;
  /** `disable_power_off` exists. */
  readonly canKeepPowerOn: boolean;
  /** What is in the virtual drives can be asked. */
  readonly canSeeMedia: boolean;
  /** Nodes have a `health`. */
  readonly tellsHealth: boolean;
  /** A deployment that waits for its agent can be aborted. */
  readonly canAbortDeploy: boolean;
}

/** The newest version that both sides know. */
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
