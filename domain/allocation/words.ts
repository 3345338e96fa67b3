export const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

/** The tasks of one action, with a word for each kind, in the order of the words: a single task of a kind is named. */
export function tasksInWords<Task extends { readonly kind: string }>(
  tasks: readonly Task[],
  words: Readonly<Record<Task['kind'], string>>,
  nameOf: (task: Task) => string,
): string {
  const parts = Object.entries<string>(words).flatMap(([kind, word]) => {
    const of = tasks.filter((task) => task.kind === kind);
    const [first] = of;
    return first === undefined ? [] : [`${word} ${of.length === 1 ? nameOf(first) : of.length}`];
  });
  const text = parts.join(', ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`.slice(0, 190);
}
