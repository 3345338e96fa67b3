import { parseAddress } from '../../ip-pool/address.ts';
import { REQUESTED_ADDRESS } from '../../ip-pool/names.ts';
import { type FieldProblem, invalid } from '../field-problem.ts';

export const NO_ADDRESS = 'is not a valid IP address';

/** An empty text is no problem: the field counts as left out. */
export const addressProblems = (field: string, text: string | undefined): readonly FieldProblem[] =>
  text === undefined || text === '' || parseAddress(text) !== undefined ? [] : [invalid(field, text, NO_ADDRESS)];

/** The address in the annotation of a claim. */
export const requestProblems = (annotations: Readonly<Record<string, string>>): readonly FieldProblem[] =>
  addressProblems(`metadata.annotations.${REQUESTED_ADDRESS}`, annotations[REQUESTED_ADDRESS]);
