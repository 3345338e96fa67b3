/** Work that waits, by tenant. Tenants are served in turn, and each has one place at a time. */
export interface Turns<Work> {
  readonly add: (tenant: string, work: Work) => void;
  /** Nobody waits for the work any more; without effect when it has its place. */
  readonly drop: (tenant: string, work: Work) => void;
  /** The next work of a tenant that has no place; it has one until `done`. */
  readonly next: () => { readonly tenant: string; readonly work: Work } | undefined;
  readonly done: (tenant: string) => void;
}

export function createTurns<Work>(): Turns<Work> {
  /** In the order in which tenants have their turn. */
  const waiting = new Map<string, Work[]>();
  const served = new Set<string>();
  return {
    add(tenant, work) {
      waiting.set(tenant, [...(waiting.get(tenant) ?? []), work]);
    },
    drop(tenant, work) {
      const rest = (waiting.get(tenant) ?? []).filter((each) => each !== work);
      if (rest.length > 0) waiting.set(tenant, rest);
      else waiting.delete(tenant);
    },
    next() {
      const found = [...waiting].find(([tenant]) => !served.has(tenant));
      if (found === undefined) return undefined;
      const [tenant, [work, ...rest]] = found;
      waiting.delete(tenant);
      if (rest.length > 0) waiting.set(tenant, rest);
      if (work === undefined) return undefined;
      served.add(tenant);
      return { tenant, work };
    },
    done(tenant) {
      served.delete(tenant);
    },
  };
}
