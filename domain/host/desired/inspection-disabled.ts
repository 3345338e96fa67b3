import { ANNOTATIONS } from '../../../api/baremetalhost/values.ts';

/** True when the spec of a BareMetalHost, or its annotation, disables inspection. */
export const isInspectionDisabled = (
  inspectionMode: unknown,
  annotations: Readonly<Record<string, string>> | undefined,
): boolean => inspectionMode === 'disabled' || annotations?.[ANNOTATIONS.inspect] === 'disabled';
