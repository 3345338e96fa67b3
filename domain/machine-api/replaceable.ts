import { CONTROL_PLANE_ROLE, ROLE_LABEL } from './names.ts';

/**
 * True for a Machine that a remediation may delete: its owner makes another one, and it is not of the control plane.
 */
export const isReplaceable = ({
  ownerReferences,
  labels,
}: {
  readonly ownerReferences: readonly { readonly controller?: boolean | undefined }[];
  readonly labels: Readonly<Record<string, string>>;
}): boolean => ownerReferences.some(({ controller }) => controller) && labels[ROLE_LABEL] !== CONTROL_PLANE_ROLE;
