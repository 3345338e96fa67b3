import { KINDS } from '../kube/kinds.ts';

/** The words for kinds on the command line. */
export const CALLED_KINDS = { host: KINDS.host, machine: KINDS.metal3Machine, cluster: KINDS.cluster } as const;
export type CalledKind = keyof typeof CALLED_KINDS;

export const KIND_WORDS: readonly string[] = Object.keys(CALLED_KINDS);
