import type { SecretReference } from '../../api/baremetalhost/types.ts';
import { same } from '../same.ts';
import type { HostFacts } from './choose-host/host-facts.ts';
import type { HostChange } from './memory/step.ts';

/** Rules for a change of a host's spec, which may come from a restored Temporal, a reset run or a forged message. */

const SECRETS = ['userData', 'metaData', 'networkData'] as const;
const DEPLOYED: readonly string[] = ['image', 'customDeploy', ...SECRETS];
const FIELDS: readonly string[] = [...DEPLOYED, 'automatedCleaningMode', 'online'];

/**
 * The state of the machine that the change assumes: it fills the host, or it clears it; `any` for powering on.
 * undefined: no machine makes such a change.
 */
export function assumedBy({ online, ...rest }: HostChange): 'has' | 'leaves' | 'any' | undefined {
  if (!Object.keys(rest).every((field) => FIELDS.includes(field))) return undefined;
  const values = Object.values(rest);
  const clears = values.includes(null) || online === false;
  if (!clears) return values.length > 0 ? 'has' : 'any';
  return values.every((value) => value === null) ? 'leaves' : undefined;
}

/** What the object of a machine, and the objects that belong to it, ask for now. */
export interface AskedOfHost {
  /** The namespace of the machine. */
  readonly namespace: string;
  /** The image, as it is and without the secrets in its URLs; empty for none. */
  readonly images: readonly NonNullable<HostChange['image']>[];
  readonly customDeploy?: HostChange['customDeploy'];
  /** Names of Secrets, among which its workflow has chosen. */
  readonly userData: readonly string[];
  readonly metaData: readonly string[];
  readonly networkData: readonly string[];
  readonly cleaningModes: readonly string[];
}

/** The first field of a change that fills the host for which the machine does not ask; undefined: there is none. */
export function notAskedFor(change: HostChange, asked: AskedOfHost): keyof HostChange | undefined {
  const { image, customDeploy, automatedCleaningMode: mode } = change;
  if (image !== undefined || customDeploy !== undefined) {
    const isImage =
      image === undefined ? asked.images.length === 0 : asked.images.some((wanted) => same(wanted, image));
    if (!isImage) return 'image';
    if (!same(customDeploy, asked.customDeploy)) return 'customDeploy';
  }
  const other = SECRETS.find((field) => {
    const secret = change[field];
    return secret && !(asked[field].includes(secret.name ?? '') && isIn(asked.namespace, secret));
  });
  if (other !== undefined) return other;
  return mode === undefined || asked.cleaningModes.includes(mode) ? undefined : 'automatedCleaningMode';
}

/** Without a namespace, the Secret is in that of the host. */
const isIn = (own: string, { namespace }: SecretReference): boolean => !namespace || namespace === own;

/**
 * What is left to change on a host as it is now: an image is not replaced, nor are the data with which it was deployed.
 */
export function fillable(change: HostChange, host: Pick<HostFacts, 'hasImage' | 'hasCustomDeploy'>): HostChange {
  if (!host.hasImage && !host.hasCustomDeploy) return change;
  const left = Object.entries(change).filter(([field, value]) => value === null || !DEPLOYED.includes(field));
  return Object.fromEntries(left) as HostChange;
}
