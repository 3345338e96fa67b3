import { KINDS } from '../kube/kinds.ts';

/** What people call the kinds on the lines of commands. */
export const CALLED_KINDS = { host: KINDS.host, machine: KINDS.metal3Machine, cluster: KINDS.cluster } as const;
export type CalledKind = keyof typeof CALLED_KINDS;

export const KIND_WORDS: readonly string[] = Object.keys(CALLED_KINDS);
