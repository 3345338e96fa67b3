/** A problem with one field, in the format of Kubernetes' field errors. */
export interface FieldProblem {
  readonly kind: 'Invalid value' | 'Required value' | 'Forbidden';
  /** Path of the field, `spec.image.url`. */
  readonly field: string;
  /** The invalid value; only for invalid values. */
  readonly value?: unknown;
  readonly detail: string;
}

export const invalid = (field: string, value: unknown, detail: string): FieldProblem => ({
  kind: 'Invalid value',
  field,
  value,
  detail,
});
export const required = (field: string, detail: string): FieldProblem => ({ kind: 'Required value', field, detail });
export const forbidden = (field: string, detail: string): FieldProblem => ({ kind: 'Forbidden', field, detail });

/** The text without the field, for example `Invalid value: "x": is required`. */
export const problemBody = ({ kind, value, detail }: FieldProblem): string =>
  kind === 'Invalid value' ? `${kind}: ${shown(value)}: ${detail}` : `${kind}: ${detail}`;

export const problemText = (problem: FieldProblem): string => `${problem.field}: ${problemBody(problem)}`;

/** A missing value is shown as null without quotes, as Go does. */
const shown = (value: unknown): string => JSON.stringify(value ?? null);
