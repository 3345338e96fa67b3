import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROVISIONING_STATES } from '../../api/baremetalhost/values.ts';
import { productionFiles } from './production.ts';

/** Finds production code that decides by the name of a provisioning state instead of asking `domain/states/table.ts`. */

/** The names themselves, their table, and the rules of each state. */
const HOME =
  /^(?:api\/baremetalhost\/values\.ts$|domain\/states\/|domain\/host\/states\/|domain\/host\/next-step\.ts$)/;
/** States of Ironic's nodes, which have names of their own. */
const OF_IRONIC = /^(?:domain|activities)\/(?:ironic|fixture)\//;

const NAME = `'(?:${PROVISIONING_STATES.filter((state) => state !== '').join('|')})'`;
/** An element of a list of texts. Not the key of an object, such as `status['provisioning']`. */
const LISTED = `(?<![\\w\\])?.])\\[(?:\\s*(?:'[^']*'|\\.\\.\\.\\w+),)*\\s*${NAME}`;
const DECIDES = new RegExp(
  [
    `[!=]== ${NAME}`,
    `${NAME} [!=]==`,
    `case ${NAME}:`,
    `includes\\(${NAME}\\)`,
    LISTED,
    'Record<ProvisioningState\\b',
  ].join('|'),
);

/** True when the text compares with the name of a state, or has it in a list or a table. */
export const decidesByName = (text: string): boolean => DECIDES.test(text);

/** The production files of a checkout, besides those of the states themselves, that decide by the name of a state. */
export const filesDecidingByName = (checkout: string): readonly string[] =>
  productionFiles(checkout)
    .filter((file) => !HOME.test(file) && !OF_IRONIC.test(file))
    .filter((file) => decidesByName(readFileSync(join(checkout, file), 'utf8')));
