/** Why a request was not sent at the moment when it had its turn; the values of a label in metrics. */
export type WithheldReason =
  /** The object does not ask for it (any more), or nobody has approved it. */
  | 'not asked'
  /** The object asks for it with other settings than the request has. */
  | 'changed'
  /** The mark, without which nothing is sent, can't be written to the object. */
  | 'no mark';

/** The object, read when the request had its turn, does not ask for it. Nothing was sent. */
export class Withheld extends Error {
  override readonly name = 'Withheld';
  readonly reason: WithheldReason;

  constructor(reason: WithheldReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The read that allowed a request is too old, or has allowed another one. Nothing was sent. */
export class PermitExpired extends Error {
  override readonly name = 'PermitExpired';

  constructor(why: 'used' | 'old') {
    super(
      why === 'used'
        ? 'nothing was sent: each request needs a read of its own'
        : 'nothing was sent: too much time has passed since the object was read',
    );
  }
}
