import { OPERATIONAL_STATUSES, PROVISIONING_STATES, type ProvisioningState } from '../../api/baremetalhost/values.ts';
import { traitsOf } from '../../domain/states/table.ts';
import { productionFiles, ROOT, textOf } from './production.ts';

/** Finds production code that decides by the name of a provisioning state instead of asking `domain/states/table.ts`. */

/** The names themselves, their table, and the rules of each state. */
const HOME =
  /^(?:api\/baremetalhost\/values\.ts$|domain\/states\/|domain\/host\/states\/|domain\/host\/next-step\.ts$)/;
/** States of Ironic's nodes, which have names of their own. */
const OF_IRONIC = /^(?:domain|activities)\/(?:ironic|fixture)\//;

/** Not found: the name of a state that is an operational status, too, such as ''. */
const NAMES = PROVISIONING_STATES.filter((state) => !OPERATIONAL_STATUSES.some((status) => status === state));
const NAME = `'(?:${NAMES.join('|')})'`;
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
    .filter((file) => decidesByName(textOf(checkout, file)));

/** The states, besides that of a new host, that no rule of hosts enters and to which no deletion leads. */
export function statesNeverEntered(): readonly ProvisioningState[] {
  const rules = productionFiles(ROOT)
    .filter((file) => file.startsWith('domain/host/'))
    .map((file) => textOf(ROOT, file))
    .join('\n');
  const ledTo = PROVISIONING_STATES.flatMap((state) => {
    const { leadsTo, givenUp } = traitsOf(state).deletion;
    return [leadsTo, givenUp];
  });
  const isEntered = (state: ProvisioningState): boolean =>
    ledTo.includes(state) || new RegExp(`\\benter\\([^;]*'${state}'`).test(rules);
  return PROVISIONING_STATES.filter((state) => state !== '' && !isEntered(state));
}
