type Joined<Parts extends readonly object[]> = Parts extends readonly [
  infer First,
  ...infer Rest extends readonly object[],
]
  ? First & Joined<Rest>
  : unknown;

/** All of these activities for one worker. Throws for duplicate names, because only the last one would be called. */
export function joinedActivities<Parts extends readonly object[]>(...parts: Parts): Joined<Parts> & object {
  const names = parts.flatMap((part) => Object.keys(part));
  const doubled = names.filter((name, at) => names.indexOf(name) !== at);
  if (doubled.length > 0) throw new Error(`activities of the same name: ${[...new Set(doubled)].join(', ')}`);
  return Object.fromEntries(parts.flatMap((part) => Object.entries(part))) as Joined<Parts> & object;
}
