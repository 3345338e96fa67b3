/** What we have put on a Secret. */
export interface MarksOnSecret {
  /** It has our finalizer. */
  readonly held: boolean;
  readonly labelled: boolean;
  /** Its owners that are hosts. */
  readonly owners: readonly { readonly name: string; readonly uid: string }[];
  readonly deleting: boolean;
}

/** An object that uses a Secret of its namespace. */
export interface SecretUser {
  readonly uid: string;
  /** Uses it for as long as it names it; others read it once in a while. */
  readonly holds: boolean;
}

/** The marks that nobody needs any more. */
export interface OutdatedMarks {
  readonly finalizer: boolean;
  readonly label: boolean;
  /** Uids of hosts that no longer use the Secret. An owner that is gone is left: Kubernetes deletes the Secret with it. */
  readonly owners: readonly string[];
}

/**
 * The marks to remove from a Secret; undefined: none. Only a Secret with our finalizer is ours. `isThere` says whether
 * this host exists. `isSettled`: the Secrets that it names now are marked, so that it no longer needs another one.
 */
export function outdatedMarks(
  { held, labelled, owners }: MarksOnSecret,
  users: readonly SecretUser[],
  { isThere, isSettled }: { readonly isThere: (uid: string) => boolean; readonly isSettled: (uid: string) => boolean },
): OutdatedMarks | undefined {
  if (!held) return undefined;
  const isUser = (uid: string): boolean => users.some((user) => user.holds && user.uid === uid);
  const others = owners.map(({ uid }) => uid).filter((uid) => isThere(uid) && !isUser(uid));
  const outdated = others.filter(isSettled);
  const finalizer = outdated.length === others.length && !users.some(({ holds }) => holds);
  if (!finalizer && outdated.length === 0) return undefined;
  return { finalizer, label: finalizer && labelled && users.length === 0, owners: outdated };
}
