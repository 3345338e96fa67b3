import { ANNOTATIONS, ERROR_TYPES, OPERATIONAL_STATUSES } from '../../api/baremetalhost/values.ts';
import type { StructuralSchema } from '../../api/structural.ts';
import { decode } from '../go/decode.ts';
import { isRebootKey, REBOOT_ARGUMENTS } from '../host/memory/reboot-annotations.ts';

/** The decoded values of annotations. */
export interface AnnotationSchemas {
  readonly status: StructuralSchema;
  readonly hardwareDetails: StructuralSchema;
}

/** The values that the operator can restore. "servicing" is newer and is not among them. */
const RESTORABLE_STATUSES: readonly unknown[] = OPERATIONAL_STATUSES.filter((status) => status !== 'servicing');
const RESTORABLE_ERRORS: readonly unknown[] = ['', ...ERROR_TYPES.filter((type) => type !== 'servicing error')];
const REBOOT_MODES: readonly unknown[] = ['hard', 'soft', ''];

export function hostAnnotationProblems(
  annotations: Readonly<Record<string, string>>,
  inspects: boolean,
  schemas: AnnotationSchemas,
): readonly string[] {
  const problems = Object.entries(annotations).map(([key, value]) => {
    if (key === ANNOTATIONS.status) return statusProblem(value, schemas.status);
    if (key === ANNOTATIONS.inspect) return inspectProblem(value);
    if (key === ANNOTATIONS.hardwareDetails) return hardwareProblem(value, inspects, schemas.hardwareDetails);
    return isRebootKey(key) ? rebootProblem(value) : undefined;
  });
  return problems.filter((problem) => problem !== undefined);
}

function rebootProblem(value: string): string | undefined {
  if (value === '') return undefined;
  const decoded = decode(value, REBOOT_ARGUMENTS, { strict: false });
  if (!decoded.ok) return `failed to unmarshal the data from the ${ANNOTATIONS.reboot} annotation: ${decoded.message}`;
  if (REBOOT_MODES.includes(decoded.value['mode'] ?? '')) return undefined;
  return `invalid mode in the ${ANNOTATIONS.reboot} annotation, allowed are "hard", "soft" or ""`;
}

function statusProblem(value: string, schema: StructuralSchema): string | undefined {
  if (value === '') return undefined;
  const decoded = decode(value, schema, { strict: true });
  if (!decoded.ok) return `error decoding status annotation: ${decoded.message}`;
  const { operationalStatus = '', errorType = '' } = decoded.value;
  if (!RESTORABLE_STATUSES.includes(operationalStatus)) {
    return `invalid operationalStatus '${String(operationalStatus)}' in the ${ANNOTATIONS.status} annotation`;
  }
  if (RESTORABLE_ERRORS.includes(errorType)) return undefined;
  return `invalid errorType '${String(errorType)}' in the ${ANNOTATIONS.status} annotation`;
}

const inspectProblem = (value: string): string | undefined =>
  value === 'disabled' || value === ''
    ? undefined
    : `invalid value for the ${ANNOTATIONS.inspect} annotation, allowed are "disabled" or ""`;

function hardwareProblem(value: string, inspects: boolean, schema: StructuralSchema): string | undefined {
  if (value === '') return undefined;
  if (inspects) {
    return 'when hardware details are provided, inspection must be disabled (either via inspect.metal3.io annotation or inspectionMode field)';
  }
  const decoded = decode(value, schema, { strict: true });
  return decoded.ok ? undefined : `error decoding the ${ANNOTATIONS.hardwareDetails} annotation: ${decoded.message}`;
}
