import type { WithheldReason } from '../../domain/ironic/withheld.ts';

/** The object, read when the request had its turn, does not ask for it. Nothing was sent. */
export class Withheld extends Error {
  override readonly name = 'Withheld';
  readonly reason: WithheldReason;

  constructor(reason: WithheldReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The read that allowed a request is too old, or has allowed another one; or it showed a new mark. Nothing was sent. */
export class PermitExpired extends Error {
  override readonly name = 'PermitExpired';

  constructor(why: keyof typeof EXPIRED) {
    super(`nothing was sent: ${EXPIRED[why]}`);
  }
}

const EXPIRED = {
  used: 'each request needs a read of its own',
  old: 'too much time has passed since the object was read',
  marked: 'another process has sent a request for the object meanwhile',
} as const;
