import type { HostAnswer, HostClaimOrder, ReleaseOrder } from '../domain/machine/step.ts';

/** `ticket` is the same for each attempt at one claim, and no other's. */
export interface Ticketed {
  readonly ticket: string;
}

/** A claim that the host's workflow did not take up, in its words. */
export type HostClaimAnswer = HostAnswer | { readonly kind: 'refused'; readonly message: string };

export interface HostRequestActivities {
  /** Has the workflow of the host give it to the machine, unless somebody else has it. Idempotent by the ticket. */
  requestHost(order: HostClaimOrder & Ticketed): Promise<HostClaimAnswer>;
  /** Has the workflow of the host take it back. Idempotent by the ticket. */
  returnHost(order: ReleaseOrder & Ticketed): Promise<HostAnswer>;
}
