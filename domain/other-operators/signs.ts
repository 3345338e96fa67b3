import { isImageOf, type Operator } from './operators.ts';
import { freshWrite, isHeldByAnother, type LeaseSeen, type ManagedEntry } from './running.ts';

/** What shows that an operator runs, or is about to: each of the three is enough. */

export const isDeployed = (
  operator: Operator,
  { images, replicas }: { readonly images: readonly string[]; readonly replicas: number },
): boolean => replicas > 0 && isImageOf(operator, images);

export const isLeading = (operator: Operator, lease: LeaseSeen, now: number): boolean =>
  lease.name === operator.lease && isHeldByAnother(lease, now);

/** `crd`: the name of the object's CRD, `<plural>.<group>`; `managed`: its `metadata.managedFields`. */
export const hasJustWritten = (
  operator: Operator,
  { crd, managed }: { readonly crd: string; readonly managed: readonly ManagedEntry[] },
  now: number,
): boolean => crd.slice(crd.indexOf('.') + 1) === operator.group && freshWrite(managed, operator, now) !== undefined;
