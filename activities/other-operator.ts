import { writtenInWords } from '../domain/other-operators/beside.ts';
import { OPERATORS } from '../domain/other-operators/operators.ts';
import { freshWrite } from '../domain/other-operators/running.ts';
import { managedEntries } from '../kube/objects/managed.ts';

const [BAREMETAL_OPERATOR] = OPERATORS;

/** Why a host, as it was just read, is left to another operator; undefined: it is not. `now` in ms since the epoch. */
export const whyLeftAlone = (host: unknown, now: number): string | undefined =>
  freshWrite(managedEntries(host), BAREMETAL_OPERATOR, now) === undefined
    ? undefined
    : writtenInWords(BAREMETAL_OPERATOR);
