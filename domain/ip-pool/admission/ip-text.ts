import { type FieldProblem, invalid } from '../../admission/field-problem.ts';
import { parseAddress } from '../address.ts';
import { REQUESTED_ADDRESS } from '../names.ts';

export const NO_ADDRESS = 'is not a valid IP address';

/** An empty text is no problem: the field counts as left out. */
export const addressProblems = (field: string, text: string | undefined): readonly FieldProblem[] =>
  text === undefined || text === '' || parseAddress(text) !== undefined ? [] : [invalid(field, text, NO_ADDRESS)];

/** The address in the annotation of a claim. */
export const requestProblems = (annotations: Readonly<Record<string, string>>): readonly FieldProblem[] =>
  addressProblems(`metadata.annotations.${REQUESTED_ADDRESS}`, annotations[REQUESTED_ADDRESS]);
