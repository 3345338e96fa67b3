/** A function of an action, from a table by the action's name: without an entry for each name it does not compile. */
export const byName =
  <Action extends { readonly name: string }, Answer, More extends readonly unknown[] = []>(
    table: {
      readonly [Name in Action['name']]: (action: Extract<Action, { readonly name: Name }>, ...more: More) => Answer;
    },
  ) =>
  (action: Action, ...more: More): Answer =>
    (table[action.name as Action['name']] as (action: Action, ...more: More) => Answer)(action, ...more);
