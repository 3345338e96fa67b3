import type { FollowedKind } from '../api/kind.ts';
import { KINDS } from '../api/kinds.ts';

export type { FollowedKind } from '../api/kind.ts';
export { KINDS } from '../api/kinds.ts';

/** The kinds of the Machine API whose objects get hosts. */
export const MACHINE_API_MACHINES = [KINDS.openShiftMachine, KINDS.clusterMachine] as const;
export type MachineApiKind = (typeof MACHINE_API_MACHINES)[number];

/** The name of the kind in its API. */
export const kindInApi = ({ kind, apiKind }: FollowedKind): string => apiKind ?? kind;

/** Kinds of one name may belong to different groups. */
export const isSameKind = (a: FollowedKind, b: FollowedKind): boolean =>
  a === b || (a.kind === b.kind && a.apiVersion === b.apiVersion);
